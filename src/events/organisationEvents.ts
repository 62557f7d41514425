// An organisation, its catalogue, its API keys, its webhook endpoints, what it takes the columns of files for, and whether it has put its first steps away. This is a disk format.
// A catalogue change is one event per changed entry and then CatalogueApplied. Entries count only when CatalogueApplied follows.
import { z } from "zod";
import { sections } from "../domain/catalogue/schema.js";
import { columnChoice } from "../domain/imports/columns/choice.js";
import { principal } from "../domain/principal.js";
import { importKinds } from "./importEvents.js";

const instant = z.iso.datetime();
/** Who did it, and when. */
const caused = { by: principal, at: instant };

export const catalogueSections = ["organisation", ...sections, "unusual"] as const;
export type CatalogueSection = (typeof catalogueSections)[number];

/** Of a webhook endpoint, whose secret is never stored: it is derived. */
const ofEndpoint = { endpointId: z.uuid(), ...caused };
/** The types of events that the endpoint is told of. Types that a later version has added are kept. */
const toldTypes = z.array(z.string());

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
    /** Entry events since this revision belong to this version. Earlier ones without a CatalogueApplied do not count. */
    sinceRevision: z.number().int(),
    changes: z.array(z.string()),
    ...caused,
  }),
  ApiKeyCreated: z.object({
    keyId: z.string(),
    name: z.string(),
    sha256: z.string(),
    prefix: z.string(),
    /** Without them the key may do everything. Scopes that a later version has added are kept. */
    scopes: z.array(z.string()).optional(),
    expiresAt: instant.optional(),
    ...caused,
  }),
  /** A new secret of the same key. The one before it goes on until `keepUntil`; an older one ends now. */
  ApiKeyRotated: z.object({ keyId: z.string(), sha256: z.string(), prefix: z.string(), keepUntil: instant, ...caused }),
  ApiKeyRevoked: z.object({ keyId: z.string(), ...caused }),
  /** A member was erased: who did it stays known, the person does not. */
  MemberForgotten: z.object({ memberId: z.string(), ...caused }),
  /** The endpoint's first secret has generation 1. */
  WebhookAdded: z.object({ ...ofEndpoint, url: z.string(), events: toldTypes }),
  /** The endpoint's settings from now on. A higher generation than before means a new secret; the previous one signs for a day more. */
  WebhookChanged: z.object({ ...ofEndpoint, url: z.string(), events: toldTypes, generation: z.number().int() }),
  WebhookRemoved: z.object({ ...ofEndpoint, reason: z.string().optional() }),
  WebhookPaused: z.object({ ...ofEndpoint, reason: z.string().optional() }),
  WebhookResumed: z.object(ofEndpoint),
  /** From now on the columns of a file of this kind with exactly these headings are taken for these fields. */
  ColumnsMapped: columnChoice.extend({ kind: z.enum(importKinds), ...caused }),
  /** Nobody of the organisation is shown the list `Get started` any more. */
  FirstStepsPutAway: z.object(caused),
} as const;
