function byCode(text: string): Map<string, string> {
  return new Map(text.split(",").map((entry) => [entry.slice(0, 2), entry.slice(3)]));
}

/** States, territories and military post. */
export const usStates: ReadonlyMap<string, string> = byCode(
  "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,FL Florida," +
    "GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts," +
    "MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico," +
    "NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina," +
    "SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming," +
    "PR Puerto Rico,VI U.S. Virgin Islands,GU Guam,AS American Samoa,MP Northern Mariana Islands,MH Marshall Islands,FM Micronesia,PW Palau," +
    "AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific",
);

const provinces: readonly (readonly [first: string, code: string, name: string])[] = [
  ["A", "NL", "Newfoundland and Labrador"],
  ["B", "NS", "Nova Scotia"],
  ["C", "PE", "Prince Edward Island"],
  ["E", "NB", "New Brunswick"],
  ["GHJ", "QC", "Quebec"],
  ["KLMNP", "ON", "Ontario"],
  ["R", "MB", "Manitoba"],
  ["S", "SK", "Saskatchewan"],
  ["T", "AB", "Alberta"],
  ["V", "BC", "British Columbia"],
  ["Y", "YT", "Yukon"],
];

/** A Canadian code's first letter is its province; the two northern territories share one. */
export function provinceOf(postalCode: string): readonly [code: string, name: string] | undefined {
  if (/^X0[ABC]/.test(postalCode)) return ["NU", "Nunavut"];
  if (postalCode.startsWith("X")) return ["NT", "Northwest Territories"];
  const found = provinces.find(([letters]) => letters.includes(postalCode.charAt(0)));
  return found && [found[1], found[2]];
}
