// The events of an organisation: its catalogue, API keys, webhook endpoints, remembered file columns, first steps. This is a disk format.
// A catalogue change is one event per changed entry and then CatalogueApplied. Entries count only when CatalogueApplied follows.
import { z } from "zod";
import { sections } from "../domain/catalogue/schema.js";
import { columnChoice } from "../domain/imports/columns/choice.js";
import { principal } from "../domain/principal.js";
import { importKinds } from "./importEvents.js";

const instant = z.iso.datetime();
/** Who did it, and when. */
const cause = { by: principal, at: instant };

export const catalogueSections = ["organisation", ...sections, "unusual"] as const;
export type CatalogueSection = (typeof catalogueSections)[number];

/** The fields of every event of a webhook endpoint. The endpoint's secret is derived and never stored. */
const endpointFields = { endpointId: z.uuid(), ...cause };
/** The types of events that the endpoint receives. Types that a later version has added are kept. */
const webhookTypes = z.array(z.string());

/** Every event of an organisation's stream. */
export const organisationEvents = {
  CatalogueEntryPut: z.object({
    section: z.enum(catalogueSections),
    id: z.string(),
    /** The entry's index in its section's list. */
    index: z.number().int(),
    entry: z.record(z.string(), z.unknown()),
  }),
  CatalogueEntryRemoved: z.object({ section: z.enum(catalogueSections), id: z.string() }),
  CatalogueApplied: z.object({
    organisationId: z.string(),
    version: z.number().int(),
    /** Entry events from this revision on belong to this version. Earlier ones that no CatalogueApplied includes do not count. */
    sinceRevision: z.number().int(),
    changes: z.array(z.string()), // sentences for people
    ...cause,
  }),
  ApiKeyCreated: z.object({
    keyId: z.string(),
    name: z.string(),
    sha256: z.string(),
    prefix: z.string(),
    /** Absent if the key may do everything. Scopes that a later version has added are kept. */
    scopes: z.array(z.string()).optional(),
    expiresAt: instant.optional(),
    ...cause,
  }),
  /** A new secret of the same key. The previous one works until `keepUntil`; an older one stops working immediately. */
  ApiKeyRotated: z.object({ keyId: z.string(), sha256: z.string(), prefix: z.string(), keepUntil: instant, ...cause }),
  ApiKeyRevoked: z.object({ keyId: z.string(), ...cause }),
  /** A member was erased. `by` is who erased the member, of whom only the id stays. */
  MemberForgotten: z.object({ memberId: z.string(), ...cause }),
  /** The endpoint's first secret has generation 1. */
  WebhookAdded: z.object({ ...endpointFields, url: z.string(), events: webhookTypes }),
  /** The endpoint's settings from now on. A higher generation than before means a new secret; the previous one signs for a day more. */
  WebhookChanged: z.object({ ...endpointFields, url: z.string(), events: webhookTypes, generation: z.number().int() }),
  WebhookRemoved: z.object({ ...endpointFields, reason: z.string().optional() }), // a reason if the service did it by itself
  WebhookPaused: z.object({ ...endpointFields, reason: z.string().optional() }), // likewise
  WebhookResumed: z.object(endpointFields),
  /** The organisation has chosen the fields for later files of this kind with exactly these headings. */
  ColumnsMapped: columnChoice.extend({ kind: z.enum(importKinds), ...cause }),
  /** From now on the portal does not show the list `Get started` to anybody of the organisation. */
  FirstStepsPutAway: z.object(cause),
} as const;
