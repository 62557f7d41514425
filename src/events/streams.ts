// src/events is the storage format: what is written here is read back for as long as the service lives.
// Fields are added, never renamed or removed; a change of meaning is a new event or version with an upcaster in upcasters.ts.
export const streamOf = {
  import: (importId: string) => `import-${importId}`,
  organisation: (organisationId: string) => `organisation-${organisationId}`,
  quote: (quoteId: string) => `quote-${quoteId}`,
  localities: (country: string) => `localities-${country}`,
} as const;

/** The stream of the log itself: LogCreated. */
export const logStream = "waybill";

export const streamPrefix = { import: "import-", organisation: "organisation-", quote: "quote-", localities: "localities-" } as const;
