import { logStream, streamPrefix } from "../events/streams.js";
import { activities } from "./activities.js";
import { imports } from "./imports.js";
import { applyLocalityEvents } from "./localityFiles.js";
import { applyOrganisationEvents } from "./organisations.js";
import type { Projection } from "./projection.js";
import { quotes } from "./quotes.js";
import { rejections } from "./rejections.js";
import { shipments } from "./shipments.js";

/** Their commands write these tables too, ahead of the projector. */
const organisations: Projection = {
  name: "organisations",
  tables: ["organisations", "catalogues", "catalogue_changes", "api_keys", "locality_files"],
  async apply(client, { events }, { refuse }) {
    await applyOrganisationEvents(client, events, refuse);
    await applyLocalityEvents(client, events, refuse);
  },
};

/** In the order they are applied. */
export const allProjections: readonly Projection[] = [organisations, imports, rejections, activities, shipments, quotes];

/**
 * Streams that are never deleted: an event of theirs is found again for as long as the log is there. To add one later is to declare that
 * checkpoints of before have seen its events, which they have not: then leave it out, and only the search from the last landmark is longer.
 */
export const landmarkPrefixes: readonly string[] = [
  ...[streamPrefix.import, streamPrefix.organisation, streamPrefix.localities, logStream],
  ...[streamPrefix.quotes, streamPrefix.quote],
];

export const projectedPrefixes: readonly string[] = [...landmarkPrefixes];
