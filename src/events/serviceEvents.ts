// Events that belong to no organisation. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

/** Every event of the event log's own stream. */
export const logEvents = {
  /** The service's first event. Tables, checkpoints and stored objects belong to the event log with this id. A copied log keeps its id. */
  LogCreated: z.object({ logId: z.uuid(), at: z.iso.datetime() }),
} as const;

/** Every event of a country's stream. */
export const localityEvents = {
  /** Postcodes were loaded for a country. `key`: the stored object that has them. `localities`: how many places it has. */
  LocalitiesImported: z.object({
    country: z.string(),
    key: z.string(),
    sha256: z.string(),
    localities: z.number().int(),
    by: principal,
    at: z.iso.datetime(),
  }),
} as const;

export type LocalitiesImported = z.infer<(typeof localityEvents)["LocalitiesImported"]>;
