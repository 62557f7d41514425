import Papa from "papaparse";
import type { LocalityRow } from "./row.js";

export interface CountryRow {
  readonly countryCode: string;
  readonly row: LocalityRow;
}

/** Converts one line of a file; undefined for a line without a usable postcode or place. Throws when the line cannot be read. */
export type ReadLine = (line: string) => CountryRow | undefined;

const names: Record<string, readonly string[]> = {
  country: ["countrycode", "country"],
  postalCode: ["postalcode", "postcode", "zip", "zipcode"],
  suburb: ["suburb", "suburbname", "placename", "locality", "place", "town"],
  city: ["city", "cityname"],
  state: ["state", "statecode", "admincode1", "region", "province"],
  stateName: ["statename", "adminname1", "regionname", "provincename"],
  poBox: ["pobox"],
};

/** The first line decides: a country code and eight or more further tab-separated columns are GeoNames data, anything else is a CSV header. */
export function readerFor(firstLine: string): { read: ReadLine; header: boolean } {
  const tabbed = firstLine.split("\t");
  if (tabbed.length >= 9 && /^[A-Z]{2}$/.test(tabbed[0] ?? "")) return { read: readGeoNames, header: false };
  return { read: csvReader(firstLine), header: true };
}

/** country, postcode, place, admin name and code 1, 2 and 3, latitude, longitude, accuracy */
function readGeoNames(line: string): CountryRow | undefined {
  const [country = "", postalCode = "", place = "", stateName = "", stateCode = ""] = line.split("\t");
  return toRow({ country, postalCode, suburb: place, city: "", state: stateCode, stateName, poBox: "" });
}

function csvReader(header: string): ReadLine {
  const delimiter = ["\t", ";", ","].find((candidate) => header.includes(candidate)) ?? ",";
  const columns = splitLine(header, delimiter).map((column) => column.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const at = Object.fromEntries(
    Object.entries(names).map(([field, known]) => [field, columns.findIndex((column) => known.includes(column))]),
  );
  const suburbAt = at["suburb"] === -1 ? at["city"] : at["suburb"];
  const missing = [
    ["countryCode", at["country"]],
    ["postalCode", at["postalCode"]],
    ["suburb", suburbAt],
  ].flatMap(([name, index]) => (index === -1 ? [name] : []));
  if (missing.length > 0) {
    throw new Error(
      `the first line is neither GeoNames data nor a header with the columns countryCode, postalCode and suburb (missing: ${missing.join(", ")})`,
    );
  }
  return (line) => {
    const cells = splitLine(line, delimiter);
    const cell = (index: number | undefined): string => (index === undefined || index < 0 ? "" : (cells[index] ?? ""));
    return toRow({
      country: cell(at["country"]),
      postalCode: cell(at["postalCode"]),
      suburb: cell(suburbAt),
      city: cell(at["city"]),
      state: cell(at["state"]),
      stateName: cell(at["stateName"]),
      poBox: cell(at["poBox"]),
    });
  };
}

function splitLine(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const { data, errors } = Papa.parse<string[]>(line, { delimiter, newline: "\n" });
  if (errors.length > 0) throw new Error(`quotes do not match (${errors[0]?.code ?? "unreadable"})`);
  return data[0] ?? [];
}

type Cells = Record<"country" | "postalCode" | "suburb" | "city" | "state" | "stateName" | "poBox", string>;

function toRow(cells: Cells): CountryRow | undefined {
  const text = (key: keyof Cells): string => cells[key].replace(/\s+/g, " ").trim();
  const countryCode = text("country").toUpperCase();
  if (!/^[A-Z]{2}$/.test(countryCode)) throw new Error(`${JSON.stringify(countryCode.slice(0, 20))} is not a two-letter country code`);
  const [postalCode, suburb] = [text("postalCode").toUpperCase(), text("suburb")];
  const length = postalCode.replace(/[^A-Z0-9]/g, "").length;
  if (suburb === "" || suburb.length > 200 || length === 0 || length > 10) return undefined;
  const stateName = (text("stateName") || text("state")).slice(0, 100);
  const state = (text("state") || stateName).slice(0, 100);
  const poBox = /^(?:1|true|yes|y)$/i.test(text("poBox"));
  return { countryCode, row: { postalCode, suburb, city: text("city").slice(0, 200) || suburb, state, stateName, poBox } };
}
