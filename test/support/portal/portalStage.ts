// An organisation with something on every page of the portal, and a member of each role.
import { inviteMember } from "../../../src/commands/members/manageMembers.js";
import { createKey, rotateKey } from "../../../src/commands/organisations/keys.js";
import { unusualKinds } from "../../../src/domain/imports/unusual.js";
import type { Role } from "../../../src/domain/members.js";
import { projectLog } from "../projectLog.js";
import type { TestService } from "../service.js";
import { addMember, signedIn, type TestMember } from "./portal.js";
import { addOwnThings, addSecondVersion } from "./portalCatalogue.js";
import { addColumns } from "./portalColumns.js";
import { addEndpoints } from "./portalEndpoints.js";
import { addActivities, addEndedImports, addRejectedRows, retailOf } from "./portalImports.js";

export interface PortalStage {
  readonly service: TestService;
  readonly organisationId: string;
  readonly people: Readonly<Record<Role, TestMember>>;
  /** A session of the viewer. */
  readonly sessionId: string;
  /** The token of an unused invitation. */
  readonly joinToken: string;
  readonly keyId: string;
  /** The log's entry that the key was created. */
  readonly entryId: string;
  /** An import that has completed, with rejected rows. */
  readonly importId: string;
  /** A completed import of activities, of which two are reversed. */
  readonly activitiesId: string;
  /** An import that waits, since no worker runs here. */
  readonly waitingId: string;
  readonly quoteId: string;
  /** The id of a webhook endpoint that has failed and has a waiting delivery. */
  readonly endpointId: string;
  readonly deliveryId: string;
  /** The id of a paused webhook endpoint. */
  readonly pausedId: string;
  /** A file that waits for its columns to be chosen. */
  readonly fileId: string;
  /** The key of headings whose columns were chosen before, of activities. */
  readonly headings: string;
}

const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;

export async function preparePortal(service: TestService): Promise<PortalStage> {
  const { id: organisationId, post } = await service.organisation((file) => {
    file.organisation.name = "Harbour Freight Co";
    // One that no other organisation has.
    file.customers.push({ id: retailOf(file.organisation.id), name: "Northside Retail Group", carrierIds: ["airco"], rateCardIds: [] });
    addOwnThings(file);
    Object.assign(file, { unusual: { off: unusualKinds } }); // whatever dates and codes the tests' files have
  });
  await addEndedImports(service, organisationId);
  const importId = await addRejectedRows(service, organisationId);
  const activitiesId = await addActivities(service, organisationId);
  const activity = { warehouseCode: "SYD", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-07-01T01:00:00Z" };
  const pushed = await post("/v1/org/fulfilment/activities", { sourceDetails: "Nightly picks", activities: [activity] });
  if (pushed.status !== 202) throw new Error(await pushed.text());
  const { importId: waitingId } = (await pushed.json()) as { importId: string };
  const { organisations, members } = service.portal;
  const [admin, operator, viewer] = [
    await addMember(service, organisationId, "admin", `ada@${organisationId}.example`),
    await addMember(service, organisationId, "operator", `oskar@${organisationId}.example`),
    await addMember(service, organisationId, "viewer", `vera@${organisationId}.example`),
  ];
  await addSecondVersion(service, organisationId, admin);
  const email = `ines@${organisationId}.example`;
  const { token: joinToken } = await inviteMember(members, { organisationId, email, role: "viewer" }, origin);
  const { keyId } = await createKey(organisations, { organisationId, name: "Warehouse system" }, origin);
  await addRotatedKey(service, organisationId);
  const quoteId = await quoteOf(post);
  const endpoint = await addEndpoints(service, organisationId, importId);
  const columns = await addColumns(service, organisationId);
  const entryId = await entryAbout(service, keyId);
  const people = { admin, operator, viewer };
  const sessionId = await sessionOf(service, viewer);
  return {
    service,
    organisationId,
    people,
    sessionId,
    joinToken,
    keyId,
    entryId,
    importId,
    activitiesId,
    waitingId,
    quoteId,
    ...endpoint,
    ...columns,
  };
}

/** May only quote, has an end, and two secrets that are valid. */
async function addRotatedKey({ portal: { organisations } }: TestService, organisationId: string): Promise<void> {
  const wanted = { organisationId, name: "Web shop", scopes: ["quotes", "read"], expiresAt: new Date("2099-01-01T00:00:00Z") };
  const { prefix } = await createKey(organisations, wanted, origin);
  await rotateKey(organisations, { organisationId, prefix }, origin);
}

async function entryAbout({ pool, eventStore }: TestService, keyId: string): Promise<string> {
  await projectLog({ pool, eventStore });
  const { rows } = await pool.query<{ id: string }>("select event_id as id from log_entries where about_id = $1", [keyId]);
  return rows[0]?.id ?? "";
}

async function sessionOf(service: TestService, member: TestMember): Promise<string> {
  await signedIn(service, member, "Firefox on Windows");
  const { rows } = await service.pool.query("select session_id as id from sessions where member_id = $1", [member.memberId]);
  return rows[0].id;
}

/** A quote for two customers, of which one can be served. */
async function quoteOf(post: (path: string, body: unknown) => Promise<Response>): Promise<string> {
  const priced = await post("/v1/org/quote/getQuote", {
    general: { customerIds: ["CUST-001", "CUST-002"] },
    ...{ origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
    items: [{ quantity: 4, length: 1.2, width: 0.8, height: 0.9, weight: 41.5, type: "PALLET" }],
  });
  const { results } = (await priced.json()) as { results: { quoteId: string }[] };
  return results[0]?.quoteId ?? "";
}
