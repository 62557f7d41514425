// Every event the service writes, by the type string it has on disk. The strings are the contract, not the names in the code.
import type { z } from "zod";
import {
  importCancelled,
  importCompleted,
  importFailed,
  importRequested,
  importStarted,
  rowAccepted,
  rowRejected,
} from "./importEvents.js";
import { logCreated } from "./logEvents.js";
import { apiKeyCreated, apiKeyRevoked, catalogueApplied, catalogueEntryPut, catalogueEntryRemoved } from "./organisationEvents.js";
import { localitiesImported, quoteGenerated } from "./otherEvents.js";

export const eventSchemas = {
  ImportRequested: importRequested,
  ImportStarted: importStarted,
  RowAccepted: rowAccepted,
  RowRejected: rowRejected,
  ImportCompleted: importCompleted,
  ImportFailed: importFailed,
  ImportCancelled: importCancelled,
  CatalogueEntryPut: catalogueEntryPut,
  CatalogueEntryRemoved: catalogueEntryRemoved,
  CatalogueApplied: catalogueApplied,
  ApiKeyCreated: apiKeyCreated,
  ApiKeyRevoked: apiKeyRevoked,
  QuoteGenerated: quoteGenerated,
  LocalitiesImported: localitiesImported,
  LogCreated: logCreated,
} as const;

export type EventType = keyof typeof eventSchemas;
export type EventDataOf<T extends EventType> = z.infer<(typeof eventSchemas)[T]>;

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventSchemas, type);
