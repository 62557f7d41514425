import { type ShipmentVersion, shipmentVersions } from "../../../../audit/shipmentVersions.js";
import type { PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";

/** Versions are found by going through the organisation's imports in the log. A page takes no longer over it than this. */
const longestMs = 2_500;
/** So many pages of this process go through the log at a time. */
const mostAtATime = 2;
let atATime = 0;

/** In the order of the pushes. Undefined where the log is too long for a page, does not answer, or others are at it. */
export async function readVersions(
  shipmentId: string,
  asOf: Date | undefined,
  { person, context }: SignedInVisit,
  { eventStore, closing, logger }: PortalDeps,
): Promise<readonly ShipmentVersion[] | undefined> {
  if (atATime >= mostAtATime) return undefined;
  atATime += 1;
  const signal = AbortSignal.any([AbortSignal.timeout(longestMs), closing, context.req.raw.signal]);
  try {
    return await shipmentVersions({ eventStore, organisationId: person.organisationId, shipmentId, asOf, signal });
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "the versions of a shipment could not be read");
    return undefined;
  } finally {
    atATime -= 1;
  }
}
