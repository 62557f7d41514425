const alpha3: Record<string, string> = {
  AUS: "AU",
  NZL: "NZ",
  USA: "US",
  CAN: "CA",
  GBR: "GB",
  SGP: "SG",
  CHN: "CN",
  JPN: "JP",
  DEU: "DE",
  FRA: "FR",
  IND: "IN",
  IRL: "IE",
  NLD: "NL",
  UK: "GB",
};

const regionNames = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** The two-letter code, or undefined when there is no such country. Nothing given means Australia. */
export function countryCodeOf(text: string | undefined): string | undefined {
  const given = (text ?? "").trim().toUpperCase();
  if (given === "") return "AU";
  const code = alpha3[given] ?? given;
  return /^[A-Z]{2}$/.test(code) && regionNames.of(code) !== undefined ? code : undefined;
}

export function countryName(code: string): string {
  return regionNames.of(code) ?? code;
}
