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
  versions, // before `shipments`, which looks up reversed shipments in the table shipment_versions
  shipments,
  quotes,
  log,
];

/**
 * Prefixes of streams that are never deleted. A starting projector recognises the event log by the last event that it has applied from
 * these streams. Do not add a prefix here: existing checkpoints have not seen its events, so their tables would be taken for another log's.
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
 * Prefixes of all streams that are projected. A member's stream is deleted when the person is to be forgotten, one of sign-ins after some
 * months. Streams of corrections and reversals are kept, but are newer than some checkpoints, so they cannot be in `permanentPrefixes`.
 */
export const projectedPrefixes: readonly string[] = [
  ...permanentPrefixes,
  streamPrefix.member,
  streamPrefix.corrections,
  streamPrefix.reversals,
  streamPrefix.signIns,
];
