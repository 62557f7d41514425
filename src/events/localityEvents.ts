// Postcodes loaded for a country. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

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
