// Events that belong to no organisation. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

/** The first event that the service writes. Tables, checkpoints and stored objects belong to the log with this id. A copy of the log has the same id. */
const logCreated = z.object({ logId: z.uuid(), at: z.iso.datetime() });

/** Every event of the log's own stream. */
export const logEvents = { LogCreated: logCreated } as const;

/** Postcodes loaded for a country. */
const localitiesImported = z.object({
  country: z.string(),
  key: z.string(),
  sha256: z.string(),
  localities: z.number().int(),
  by: principal,
  at: z.iso.datetime(),
});

/** Every event of a country's stream. */
export const localityEvents = { LocalitiesImported: localitiesImported } as const;

export type LocalitiesImported = z.infer<typeof localitiesImported>;
