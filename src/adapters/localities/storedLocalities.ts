import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalityRow } from "../../ports/localities.js";
import { readLocalityFile } from "./localityFile.js";

const bundledCountries = ["AU", "US", "CA"];

export const isBundled = (countryCode: string): boolean => bundledCountries.includes(countryCode);

/** The localities that come with the service; undefined for a country whose localities an operator has to load. */
export function bundledLocalities(countryCode: string): Iterable<LocalityRow> | undefined {
  if (!isBundled(countryCode)) return undefined;
  // The build writes the file (scripts/localities) beside the compiled program. Sources that run unbuilt use the file of the last build.
  const files = ["./", "../../../dist/adapters/localities/"].map((folder) => new URL(`${folder}${countryCode}.tsv`, import.meta.url));
  const built = files.find(existsSync);
  if (!built) throw new Error(`The localities of ${countryCode} are missing: run \`npm run build\`.`);
  return readStoredLocalities(fileURLToPath(built));
}

/** Reads a country's localities from its file. `paths` has the files that operators loaded; the other countries use the bundled ones. */
export const localitiesFrom = (paths: Readonly<Record<string, string>>) => (countryCode: string) => {
  const path = paths[countryCode];
  return path === undefined ? bundledLocalities(countryCode) : readStoredLocalities(path);
};

/** The output file of one country, in the stored format. `text` holds the lines that have yet to be written to it. */
async function createOutput(folder: string, country: string) {
  const path = join(folder, `${country}.tsv`);
  return { path, handle: await open(path, "wx"), hash: createHash("sha256"), localities: 0, text: "" };
}

/** Converts a file that an operator loads into one file per country, in the stored format and in `folder`. */
export async function prepareLocalities(source: string, folder: string) {
  const outputs = new Map<string, Awaited<ReturnType<typeof createOutput>>>();
  try {
    const { skipped } = await readLocalityFile(source, async (rows) => {
      for (const { countryCode, row } of rows) {
        const output = outputs.get(countryCode) ?? (await createOutput(folder, countryCode));
        outputs.set(countryCode, output);
        output.text += storedLine(row);
        output.localities += 1;
      }
      for (const output of outputs.values()) {
        await output.handle.write(output.text);
        output.hash.update(output.text);
        output.text = "";
      }
    });
    const countries = [...outputs].map(([country, { path, hash, localities }]) => ({
      country,
      path,
      localities,
      sha256: hash.digest("hex"),
    }));
    return { countries: countries.sort((a, b) => (a.country < b.country ? -1 : 1)), skipped };
  } finally {
    await Promise.all([...outputs.values()].map(({ handle }) => handle.close()));
  }
}

export function storedLine({ postalCode, suburb, city, state, stateName, poBox }: LocalityRow): string {
  return `${[postalCode, suburb, city === suburb ? "" : city, state, stateName === state ? "" : stateName, poBox ? "1" : ""].join("\t")}\n`;
}

export function* readStoredLocalities(path: string): Generator<LocalityRow> {
  const file = openSync(path, "r");
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(1_048_576);
  let rest = "";
  try {
    for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
      const lines = (rest + decoder.decode(chunk.subarray(0, size), { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield storedRow(line);
    }
  } finally {
    closeSync(file);
  }
}

function storedRow(line: string): LocalityRow {
  const [postalCode = "", suburb = "", city = "", state = "", stateName = "", poBox = ""] = line.split("\t");
  return { postalCode, suburb, city: city || suburb, state, stateName: stateName || state, poBox: poBox === "1" };
}
