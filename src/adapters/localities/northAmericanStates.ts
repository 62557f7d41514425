function byCode(text: string): Map<string, string> {
  return new Map(text.split(",").map((entry) => [entry.slice(0, 2), entry.slice(3)]));
}

/** States, territories and the military post. */
export const usStates: ReadonlyMap<string, string> = byCode(
  "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,FL Florida," +
    "GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts," +
    "MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico," +
    "NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina," +
    "SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming," +
    "PR Puerto Rico,VI U.S. Virgin Islands,GU Guam,AS American Samoa,MP Northern Mariana Islands,MH Marshall Islands,FM Micronesia,PW Palau," +
    "AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific",
);

/** By upper-case name, as the package has them. */
export const canadianProvinces: ReadonlyMap<string, string> = new Map([
  ["ALBERTA", "AB"],
  ["BRITISH COLUMBIA", "BC"],
  ["MANITOBA", "MB"],
  ["NEW BRUNSWICK", "NB"],
  ["NEWFOUNDLAND", "NL"],
  ["NEWFOUNDLAND AND LABRADOR", "NL"],
  ["NOVA SCOTIA", "NS"],
  ["NORTHWEST TERRITORIES", "NT"],
  ["NORTHWEST TERRITORY", "NT"],
  ["NUNAVUT", "NU"],
  ["NUNAVUT TERRITORY", "NU"],
  ["ONTARIO", "ON"],
  ["PRINCE EDWARD ISLAND", "PE"],
  ["QUEBEC", "QC"],
  ["SASKATCHEWAN", "SK"],
  ["YUKON", "YT"],
  ["YUKON TERRITORY", "YT"],
]);
