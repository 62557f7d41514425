import { listVersions, readVersion, type ShipmentVersion } from "../../../../queries/shipments/shipmentVersions.js";
import type { PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";

/** How long a page may read the lines of the versions. */
const longestMs = 2_500;
export const shownVersions = 20;
/** How many versions are read at a time: the lines of one shipment may be in many places of a file, each of which is one read. */
const atATime = 5;

export interface ShownVersions {
  /** How many versions there are in all. */
  readonly all: number;
  /** Oldest first. */
  readonly versions: readonly ShipmentVersion[];
  /** The version before the oldest of these, to compare with. */
  readonly before: ShipmentVersion | undefined;
}

/** Why there are no versions to show: their projection is still being filled after an upgrade, or the event store does not answer. */
export type NoVersions = "gathering" | "unreadable";

export async function readVersions(
  shipmentId: string,
  asked: { readonly asOf: Date | undefined; readonly upTo: number | undefined },
  { person, context }: SignedInVisit,
  { pool, eventStore, closing, logger }: PortalDeps,
): Promise<ShownVersions | NoVersions> {
  const page = await listVersions(person.organisationId, { ...asked, shipmentId, count: shownVersions + 1 }, pool);
  if (!page) return "gathering";
  const signal = AbortSignal.any([AbortSignal.timeout(longestMs), closing, context.req.raw.signal]);
  try {
    const read: ShipmentVersion[] = [];
    for (let from = 0; from < page.versions.length; from += atATime)
      read.push(...(await Promise.all(page.versions.slice(from, from + atATime).map((each) => readVersion(each, eventStore, signal)))));
    const versions = read.slice(-shownVersions);
    return { all: page.all, versions, before: read.length > versions.length ? read[0] : undefined };
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "the versions of a shipment could not be read");
    return "unreadable";
  }
}
