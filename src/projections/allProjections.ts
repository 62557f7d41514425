import { logStream, streamPrefix } from "../events/streams.js";
import { activities } from "./models/activities.js";
import { imports } from "./models/imports.js";
import { applyLocalityEvents } from "./models/localityFiles.js";
import { applyOrganisationEvents } from "./models/organisations.js";
import { quotes } from "./models/quotes.js";
import { rejections } from "./models/rejections.js";
import { shipments } from "./models/shipments.js";
import type { Projection } from "./projection.js";

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
