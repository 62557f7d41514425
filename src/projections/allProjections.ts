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

/** In the order in which they are applied. */
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
 * Streams that are never deleted, so that a start can find their events again and recognise the event log. Do not add a prefix here later:
 * existing checkpoints have not seen its events, and would be taken for those of another event log.
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
 * Two kinds of streams are not permanent. A member's stream is deleted when the person is to be forgotten, and sign-ins after some months, so
 * they cannot be found again. The streams of corrections and reversals were added later, so older checkpoints have not seen them.
 */
export const projectedPrefixes: readonly string[] = [
  ...permanentPrefixes,
  streamPrefix.member,
  streamPrefix.corrections,
  streamPrefix.reversals,
  streamPrefix.signIns,
];
