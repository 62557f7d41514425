import { stat } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import type { Logger } from "pino";
import { localitiesFrom } from "../adapters/localities/storedLocalities.js";
import { createGeography, type Geography } from "../domain/geography/geography.js";
import { unavailableStoreIn } from "../http/server/answerError.js";
import { StoreUnavailable } from "../portErrors.js";
import { channels, type Notices, noNotices } from "../ports/notices.js";
import type { ObjectStore } from "../ports/objectStore.js";
import { listLocalityFiles } from "../queries/organisations/organisations.js";
import { recentLoads } from "../recentValues.js";
import type { LocalityVersions } from "../workers/imports/deps.js";
import { createDoorbell } from "../workers/waiting/doorbell.js";
import { repeatUntilStopped } from "../workers/waiting/repeatUntilStopped.js";

/** How often the API process looks for newly loaded localities if no notices arrive. */
export const localitiesRefreshMs = 500;
/** How often the API process looks if notices arrive, in case one was lost. */
const withNoticesRefreshMs = 10_000;
const maxGeographies = 2;

/** The bundled localities and those that an operator has loaded. `versions`: each loaded country's file hash, as in ImportStarted. */
export function createLocalities(options: { pool: pg.Pool; objectStore: ObjectStore; folder: string }) {
  const { pool, objectStore, folder } = options;
  const cachedGeography = recentLoads<Geography>(maxGeographies);
  const countryFile = async (country: string, sha256: string): Promise<string> => {
    const path = join(folder, `${country}-${sha256}.tsv`);
    if (!(await stat(path).catch(() => undefined))) await objectStore.fetch(`localities/${country}/${sha256}`, path);
    return path;
  };
  const countryFiles = async (versions: Record<string, string>): Promise<Record<string, string>> => {
    const paths: Record<string, string> = {};
    for (const [country, sha256] of Object.entries(versions)) paths[country] = await countryFile(country, sha256);
    return paths;
  };
  const currentVersions = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await listLocalityFiles(pool)).map(({ country, sha256 }) => [country, sha256]));
  const load = async (versions: Record<string, string>) => createGeography(localitiesFrom(await countryFiles(versions)));
  return {
    currentVersions,
    /** The local path of the newest file of each country that an operator has loaded. */
    files: async () => countryFiles(await currentVersions()),
    geography: (versions: Record<string, string>) => cachedGeography(versionsKey(versions), () => load(versions)),
  };
}

/**
 * Returns a geography that follows the newest versions: the API uses a newly loaded country within a second. If the localities cannot be
 * loaded at the start, the geography's functions throw StoreUnavailable until they are.
 */
export async function followLocalities(
  localities: LocalityVersions,
  { logger, signal, notices = noNotices }: { logger: Logger; signal: AbortSignal; notices?: Notices },
): Promise<Geography> {
  let current: { readonly key: string; readonly geography: Geography } | undefined;
  const refresh = async () => {
    const versions = await localities.currentVersions();
    const key = versionsKey(versions);
    if (key !== current?.key) current = { key, geography: await localities.geography(versions) };
  };
  await tolerateOutage(refresh(), logger);
  const bell = createDoorbell(signal);
  notices.on(channels.localitiesLoaded, () => bell.ring());
  const refreshMs = () => (notices.areArriving() ? withNoticesRefreshMs : localitiesRefreshMs);
  void repeatUntilStopped("looking for newly loaded localities (those in use stay)", refreshMs, { logger, signal, bell }, refresh);
  const geography = () => {
    if (!current) throw new StoreUnavailable("database", "The localities are not loaded yet");
    return current.geography;
  };
  if (current) preloadAustralia(geography());
  return {
    resolve: (request) => geography().resolve(request),
    suggest: (start, country) => geography().suggest(start, country),
    postalCodesOf: (suburb, country) => geography().postalCodesOf(suburb, country),
    forget: (country) => geography().forget(country),
  };
}

/** Loads the newest localities, for a worker before its first import. */
export async function preloadLocalities(localities: LocalityVersions, logger: Logger): Promise<void> {
  const load = async () => preloadAustralia(await localities.geography(await localities.currentVersions()));
  await tolerateOutage(load(), logger);
}

async function tolerateOutage(loading: Promise<void>, logger: Logger): Promise<void> {
  await loading.catch((error: unknown) => {
    if (!unavailableStoreIn(error)) throw error;
    logger.warn({ err: error }, "the localities are loaded later");
  });
}

/** Loads Australia's localities now, so that the first request or import does not wait for them. */
function preloadAustralia(geography: Geography): void {
  geography.resolve({ countryCode: "AU", postalCode: "2000" });
}

const versionsKey = (versions: Record<string, string>): string => JSON.stringify(Object.entries(versions).sort());
