import { stat } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Logger } from "pino";
import { localitiesFrom } from "../adapters/localities/storedLocalities.js";
import { createGeography, type Geography } from "../domain/geography/geography.js";
import { outageIn } from "../http/server/answerError.js";
import { StoreUnavailable } from "../portErrors.js";
import { channels, type Notices, noNotices } from "../ports/notices.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { listLocalityFiles } from "../queries/organisations/organisations.js";
import { recentLoads } from "../recentValues.js";
import type { LocalityVersions } from "../workers/imports/deps.js";
import { doorbell } from "../workers/waiting/doorbell.js";
import { repeatUntilStopped } from "../workers/waiting/repeatUntilStopped.js";

/** How often the API process looks for newly loaded localities, where it is not told of them. */
export const refreshMs = 500;
/** Where it is told: in case a notice was lost. */
const toldMs = 10_000;
const mostKept = 2;

/** The bundled localities and those that an operator has loaded. `versions` names the file of each loaded country, as ImportStarted records it. */
export function createLocalities(options: { pool: pg.Pool; objectStore: ObjectStore; folder: string }) {
  const { pool, objectStore, folder } = options;
  const kept = recentLoads<Geography>(mostKept);
  const fetchCountry = async (country: string, sha256: string): Promise<string> => {
    const path = join(folder, `${country}-${sha256}.tsv`);
    if (!(await stat(path).catch(() => undefined))) await objectStore.fetch(`localities/${country}/${sha256}`, path);
    return path;
  };
  const filesOf = async (versions: Record<string, string>): Promise<Record<string, string>> => {
    const paths: Record<string, string> = {};
    for (const [country, sha256] of Object.entries(versions)) paths[country] = await fetchCountry(country, sha256);
    return paths;
  };
  const current = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await listLocalityFiles(pool)).map(({ country, sha256 }) => [country, sha256]));
  const load = async (versions: Record<string, string>) => createGeography(localitiesFrom(await filesOf(versions)));
  return {
    current,
    /** The path, on this machine's disk, of the present file of each country that an operator has loaded. */
    files: async () => filesOf(await current()),
    geography: (versions: Record<string, string>) => kept(nameOf(versions), () => load(versions)),
  };
}

/**
 * A geography that follows the newest versions: the API uses a newly loaded country within a second. If they cannot be read at the start, the
 * calls that need them throw until they can.
 */
export async function followLocalities(
  localities: LocalityVersions,
  { logger, signal, notices = noNotices }: { logger: Logger; signal: AbortSignal; notices?: Notices },
): Promise<Geography> {
  let used: { readonly name: string; readonly geography: Geography } | undefined;
  const look = async () => {
    const found = await localities.current();
    if (nameOf(found) === used?.name) return;
    used = { name: nameOf(found), geography: await localities.geography(found) };
  };
  await insteadOfOutage(look(), logger);
  const bell = doorbell(signal);
  notices.on(channels.localitiesLoaded, () => bell.ring());
  const everyMs = () => (notices.arrive() ? toldMs : refreshMs);
  void repeatUntilStopped("looking for newly loaded localities (those in use stay)", everyMs, { logger, signal, bell }, look);
  const present = () => {
    if (!used) throw new StoreUnavailable("database", "The localities are not loaded yet");
    return used.geography;
  };
  if (used) warm(present());
  return {
    resolve: (request) => present().resolve(request),
    suggest: (start, country) => present().suggest(start, country),
    postalCodesOf: (suburb, country) => present().postalCodesOf(suburb, country),
    reload: (country) => present().reload(country),
  };
}

/** For a worker: loads the present localities before its first import. */
export async function warmLocalities(localities: LocalityVersions, logger: Logger): Promise<void> {
  const load = async () => warm(await localities.geography(await localities.current()));
  await insteadOfOutage(load(), logger);
}

async function insteadOfOutage(loading: Promise<void>, logger: Logger): Promise<void> {
  await loading.catch((error: unknown) => {
    if (!outageIn(error)) throw error;
    logger.warn({ err: error }, "the localities are loaded later");
  });
}

/** Loads Australia's localities now, so that the first request or import does not wait for them. */
function warm(geography: Geography): void {
  geography.resolve({ countryCode: "AU", postalCode: "2000" });
}

const nameOf = (versions: Record<string, string>): string => JSON.stringify(Object.entries(versions).sort());
