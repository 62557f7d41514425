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

let names: Intl.DisplayNames | undefined;

/** Made when first needed: it costs a tenth of a second, and most requests are about Australia. */
function regionName(code: string): string | undefined {
  names ??= new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  return names.of(code);
}

/** The two-letter code, or undefined when there is no such country. Nothing given means Australia. */
export function countryCodeOf(text: string | undefined): string | undefined {
  const given = (text ?? "").trim().toUpperCase();
  if (given === "" || given === "AU") return "AU";
  const code = alpha3[given] ?? given;
  return /^[A-Z]{2}$/.test(code) && regionName(code) !== undefined ? code : undefined;
}

export function countryName(code: string): string {
  return regionName(code) ?? code;
}
