import { logStream, streamPrefix } from "../events/streams.js";
import { activities } from "./models/activities.js";
import { imports } from "./models/imports.js";
import { log } from "./models/log.js";
import { members } from "./models/members.js";
import { organisations } from "./models/organisations.js";
import { quotes } from "./models/quotes.js";
import { rejections } from "./models/rejections.js";
import { reversals } from "./models/reversals.js";
import { shipments } from "./models/shipments.js";
import { versions } from "./models/versions.js";
import type { Projection } from "./projection.js";

/** All projections, in the order in which a batch is applied to them. */
export const allProjections: readonly Projection[] = [
  organisations,
  members,
  imports,
  reversals,
  rejections,
  activities,
  versions, // before shipments, which looks up a reversed shipment by its number here
  shipments,
  quotes,
  log,
];

/**
 * Prefixes of streams that are never deleted: a starting projector finds their events again, and so recognises the event log. Do not add a
 * prefix here: existing checkpoints have not seen its events, so they would be taken for checkpoints of another event log.
 */
export const permanentPrefixes: readonly string[] = [
  streamPrefix.import,
  streamPrefix.organisation,
  streamPrefix.localities,
  logStream,
  streamPrefix.quotes,
  streamPrefix.quote,
];

/**
 * Prefixes of all streams that are projected. Some are not permanent: a member's stream is deleted when the person is to be forgotten, and
 * streams of sign-ins after some months. Those of corrections and reversals were added later, so older checkpoints have not seen them.
 */
export const projectedPrefixes: readonly string[] = [
  ...permanentPrefixes,
  streamPrefix.member,
  streamPrefix.corrections,
  streamPrefix.reversals,
  streamPrefix.signIns,
];
