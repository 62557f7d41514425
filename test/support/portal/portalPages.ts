// The portal's pages as tests open them. Every pattern of the portal's own list has an entry here: a test compares the two.
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { inviteMember } from "../../../src/commands/members/invite.js";
import { createKey } from "../../../src/commands/organisations/keys.js";
import { addWebhook, pauseWebhook, rotateWebhook } from "../../../src/commands/organisations/webhooks.js";
import type { Role } from "../../../src/domain/roles.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { goodsLine, type Row, tell } from "../importStory.js";
import { projectLog } from "../projectLog.js";
import type { TestService } from "../service.js";
import { addMember, type TestMember } from "./portal.js";

export interface PortalStage {
  readonly service: TestService;
  readonly organisationId: string;
  readonly people: Readonly<Record<Role, TestMember>>;
  /** The token of an unused invitation. */
  readonly joinToken: string;
  readonly keyId: string;
  /** An import that has completed, with rejected rows. */
  readonly importId: string;
  /** An import that waits, since no worker runs here. */
  readonly waitingId: string;
  readonly quoteId: string;
  /** The id of a webhook endpoint that has failed and has a waiting delivery. */
  readonly endpointId: string;
  readonly deliveryId: string;
  /** The id of a paused webhook endpoint. */
  readonly pausedId: string;
}

export interface OpenablePage {
  /** As in the portal's list of pages. */
  readonly path: string;
  /** For the screenshots' names. */
  readonly name: string;
  readonly heading: string;
  /** The title of the question that the page asks. */
  readonly asks?: string;
  /** The role it is opened as; undefined for a page that needs no sign-in. */
  readonly as: Role | undefined;
  readonly address: (stage: PortalStage) => string;
}

const endpointUrl = "https://erp.harbour.example/waybill/hooks";
const pausedUrl = "https://data-warehouse.harbour.example/in?source=waybill";

export const openablePages: readonly OpenablePage[] = [
  { path: "/portal/sign-in", name: "sign-in", heading: "Sign in", as: undefined, address: () => "/portal/sign-in" },
  {
    path: "/portal/join/{token}",
    name: "join",
    heading: "Choose a password",
    as: undefined,
    address: ({ joinToken }) => `/portal/join/${joinToken}`,
  },
  { path: "/portal", name: "overview", heading: "Overview", as: "viewer", address: () => "/portal" },
  { path: "/portal/imports", name: "imports", heading: "Imports", as: "operator", address: () => "/portal/imports" },
  {
    path: "/portal/imports",
    name: "imports-filtered",
    heading: "Imports",
    as: "viewer",
    address: () => "/portal/imports?kind=shipments&status=failed&reference=nothing%20like%20it",
  },
  {
    path: "/portal/imports/{importId}",
    name: "import",
    heading: "tuesday-orders.csv",
    as: "operator",
    address: ({ importId }) => `/portal/imports/${importId}`,
  },
  {
    path: "/portal/imports/{importId}",
    name: "import-cancel",
    heading: "Nightly picks",
    asks: "Cancel this import?",
    as: "operator",
    address: ({ waitingId }) => `/portal/imports/${waitingId}?ask=cancel`,
  },
  {
    path: "/portal/imports/{importId}/history",
    name: "import-history",
    heading: "History",
    as: "viewer",
    address: ({ importId }) => `/portal/imports/${importId}/history`,
  },
  { path: "/portal/upload", name: "upload", heading: "Upload a file", as: "operator", address: () => "/portal/upload" },
  { path: "/portal/corrections", name: "rejected-rows", heading: "Rejected rows", as: "operator", address: () => "/portal/corrections" },
  {
    path: "/portal/corrections",
    name: "rejected-rows-none",
    heading: "Rejected rows",
    as: "viewer",
    address: () => "/portal/corrections?kind=activities&state=dismissed",
  },
  {
    path: "/portal/activities",
    name: "activities",
    heading: "Activities",
    as: "viewer",
    address: () => "/portal/activities?month=2026-07",
  },
  {
    path: "/portal/activities",
    name: "activities-by-warehouse",
    heading: "Activities",
    as: "viewer",
    address: ({ organisationId }) => `/portal/activities?from=2026-07-01&to=2026-07-15&by=warehouse&customer=${retailOf(organisationId)}`,
  },
  {
    path: "/portal/activities",
    name: "activities-rows",
    heading: "Activities",
    as: "viewer",
    address: () => "/portal/activities?month=2026-07&view=rows&charge=PICK",
  },
  {
    path: "/portal/activities",
    name: "activities-none",
    heading: "Activities",
    as: "operator",
    address: () => "/portal/activities?month=2020-02",
  },
  { path: "/portal/quotes", name: "quotes", heading: "Quotes", as: "operator", address: () => "/portal/quotes" },
  {
    path: "/portal/quotes",
    name: "quotes-priced",
    heading: "Quotes",
    as: "viewer",
    address: ({ quoteId }) => `/portal/quotes?quote=${quoteId}`,
  },
  {
    path: "/portal/quotes/{quoteId}/history",
    name: "quote-history",
    heading: "History",
    as: "viewer",
    address: ({ quoteId }) => `/portal/quotes/${quoteId}/history`,
  },
  {
    path: "/portal/shipments",
    name: "shipments",
    heading: "Shipments",
    as: "viewer",
    address: ({ organisationId }) => `/portal/shipments?id=${organisationId}`,
  },
  {
    path: "/portal/shipments/{shipmentId}",
    name: "shipment",
    heading: "SO-1004",
    as: "viewer",
    address: () => "/portal/shipments/SO-1004",
  },
  { path: "/portal/settings/keys", name: "keys", heading: "API Keys", as: "admin", address: () => "/portal/settings/keys" },
  {
    path: "/portal/settings/keys",
    name: "keys-revoke",
    heading: "API Keys",
    asks: "Revoke this key?",
    as: "admin",
    address: ({ keyId }) => `/portal/settings/keys?revoke=${keyId}`,
  },
  { path: "/portal/settings/members", name: "members", heading: "Members", as: "admin", address: () => "/portal/settings/members" },
  {
    path: "/portal/settings/members",
    name: "members-remove",
    heading: "Members",
    asks: "Remove this member?",
    as: "admin",
    address: ({ people }) => `/portal/settings/members?remove=${people.viewer.memberId}`,
  },
  {
    path: "/portal/settings/members",
    name: "members-erase",
    heading: "Members",
    asks: "Erase this person?",
    as: "admin",
    address: ({ people }) => `/portal/settings/members?erase=${people.viewer.memberId}`,
  },
  { path: "/portal/settings/webhooks", name: "webhooks", heading: "Webhooks", as: "admin", address: () => "/portal/settings/webhooks" },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook",
    heading: endpointUrl,
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-paused",
    heading: pausedUrl,
    as: "admin",
    address: ({ pausedId }) => `/portal/settings/webhooks/${pausedId}`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-remove",
    heading: endpointUrl,
    asks: "Remove this endpoint?",
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}?ask=remove`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-rotate",
    heading: endpointUrl,
    asks: "Rotate the secret?",
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}?ask=rotate`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-replay",
    heading: endpointUrl,
    asks: "Send it all again?",
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}?ask=replay&from=2026-01-01T00%3A00`,
  },
];

const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;

export async function preparePortal(service: TestService): Promise<PortalStage> {
  const { id: organisationId, post } = await service.organisation((file) => {
    file.organisation.name = "Harbour Freight Co";
    // One that no other organisation has.
    file.customers.push({ id: retailOf(file.organisation.id), name: "Northside Retail Group", carrierIds: ["airco"], rateCardIds: [] });
  });
  await addEndedImports(service, organisationId);
  const importId = await addRejectedRows(service, organisationId);
  await addActivities(service, organisationId);
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
  const email = `ines@${organisationId}.example`;
  const { token: joinToken } = await inviteMember(members, { organisationId, email, role: "viewer" }, origin);
  const { keyId } = await createKey(organisations, { organisationId, name: "Warehouse system" }, origin);
  const quoteId = await quoteOf(post);
  const endpoint = await addEndpoints(service, organisationId, importId);
  return { service, organisationId, people: { admin, operator, viewer }, joinToken, keyId, importId, waitingId, quoteId, ...endpoint };
}

/** One that fails, with deliveries of each outcome, and one that is paused; without a worker nothing is sent. */
async function addEndpoints(service: TestService, organisationId: string, importId: string) {
  const { pool, portal } = service;
  const { endpointId } = await addWebhook(portal.webhooks, { organisationId, url: endpointUrl }, origin);
  await rotateWebhook(portal.webhooks, { organisationId, endpointId }, origin);
  const other = { organisationId, url: pausedUrl, events: ["import.completed"] };
  const paused = await addWebhook(portal.webhooks, other, origin);
  const reason = "No delivery has succeeded for three days.";
  await pauseWebhook(portal.webhooks, { organisationId, endpointId: paused.endpointId }, origin, reason);
  const told = [
    { type: "import.started", status: "delivered", answers: ["200 thank you"] },
    {
      type: "import.completed",
      status: "failed",
      answers: ["500 <h1>Internal error</h1> ".repeat(20), "500 still", "503 come back later"],
    },
    { type: "import.cancelled", status: "waiting", answers: ["- Not sent: 10.20.0.7 is a private address", "- No answer within 15 s"] },
  ];
  let deliveryId = "";
  for (const [index, { type, status, answers }] of told.entries()) {
    const isOver = status !== "waiting";
    const last = answers.at(-1) ?? "";
    const reasonOf = (answer: string) =>
      answer.startsWith("-") ? answer.slice(2) : answer.startsWith("2") ? null : `It answered ${answer.slice(0, 3)}`;
    const { rows } = await pool.query<{ id: string }>(
      `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, reason,
         attempts, due_at, settled_at)
       values ($1, $2, gen_random_uuid(), $3, $4, $5, $5, now() - interval '2 hours', $6, $7, $8, now() + interval '40 minutes',
         case when $9 then now() end) returning id::text`,
      [endpointId, organisationId, type, importId, index + 1, status, reasonOf(last), answers.length, isOver],
    );
    deliveryId = rows[0]?.id ?? "";
    for (const [attempt, answer] of answers.entries()) {
      const code = answer.startsWith("-") ? null : Number(answer.slice(0, 3));
      await pool.query("insert into webhook_attempts values ($1, $2, now() - $3::int * interval '9 minutes', $4, $5, $6, $7)", [
        ...[
          deliveryId,
          attempt + 1,
          answers.length - attempt,
          37 * (attempt + 1),
          code,
          reasonOf(answer),
          code === null ? null : answer.slice(4),
        ],
      ]);
    }
  }
  await pool.query("insert into webhook_health values ($1, 2, now() - interval '2 hours')", [endpointId]);
  return { endpointId, deliveryId, pausedId: paused.endpointId };
}

const retailOf = (organisationId: string) => `${organisationId}-retail`;

/** A shipment that no other organisation has. */
export const ownShipmentOf = (organisationId: string) => `${organisationId}-1001`;

/** A month of a warehouse's work. */
async function addActivities({ pool, eventStore }: TestService, organisationId: string): Promise<void> {
  const charges = ["PICK", "PACK", "PALLET-IN", "STORAGE-PALLET-WEEK", "=LABEL()"];
  const rows = Array.from({ length: 400 }, (_, n): Row => {
    const at = new Date(Date.UTC(2026, 6, 1 + (n % 30), n % 24, n % 60)).toISOString();
    const customer = n % 9 === 0 ? {} : { customerId: n % 3 === 0 ? "CUST-002" : retailOf(organisationId) };
    const value = {
      warehouseCode: n % 2 === 0 ? "SYD-1" : "MEL-2",
      chargeCode: charges[n % charges.length],
      quantity: ((n * 37) % 900) / 4 + 0.1,
    };
    return { accept: { ...value, ...customer, activityTimestamp: at, reference: `ORD-${5000 + n}`, status: "done" } };
  });
  const story = { organisationId, kind: "activities", sourceDetails: "July storage and handling.csv", rows } as const;
  const { stream, events } = tell({ ...story, at: "2026-07-31T10:00:00.000Z" });
  await eventStore.append(stream, events, noStream);
  await projectLog({ pool, eventStore });
}

/** One with a history: from its events, as the projector does it. */
async function addRejectedRows({ pool, eventStore, objectStore }: TestService, organisationId: string): Promise<string> {
  const reasons = ["Customer not found", "Valid item quantity is required", "Destination not serviceable: 9999 NOWHERE"];
  const rows = Array.from({ length: 60 }, (_, n): Row => {
    if (n % 2 === 0) return { accept: goodsLine(n === 0 ? ownShipmentOf(organisationId) : `SO-${1000 + n}`), shipment: n + 1 };
    const data = { shipmentId: `SO-${1000 + n}`, customerId: "CUST-404", destinationPostCode: "9999", itemQuantity: "-1" };
    return { reject: reasons[n % 7 === 0 ? 1 : n % 5 === 0 ? 2 : 0] ?? "", handle: `SO-${1000 + n}`, data };
  });
  const importId = randomUUID();
  const file = {
    key: `uploads/${organisationId}/${importId}`,
    name: "tuesday-orders.csv",
    format: "csv",
    size: 48_213,
    sha256: "0".repeat(64),
  } as const;
  const report = `reports/${importId}.xlsx`;
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const story = { importId, organisationId, kind: "shipments", sourceDetails: "tuesday-orders.csv", rows, file, report, at } as const;
  const { stream, events } = tell(story);
  await eventStore.append(stream, events, noStream);
  const here = fileURLToPath(import.meta.url); // any file will do
  for (const key of [file.key, report]) await objectStore.put(key, here, { contentType: "text/csv" });
  await projectLog({ pool, eventStore });
  return importId;
}

/** Imports of earlier days, straight into the table: no test opens their pages. */
async function addEndedImports({ pool }: TestService, organisationId: string): Promise<void> {
  const ended = [
    { kind: "shipments", name: "monday-orders.csv", status: "completed", received: 12840, failed: 17 },
    { kind: "activities", name: "July storage and handling", status: "completed", received: 1486230, failed: 0 },
    { kind: "shipments", name: "friday-late-orders-from-the-second-warehouse.xlsx", status: "failed", received: 0, failed: 0 },
    { kind: "activities", name: "Returns", status: "cancelled", received: 310, failed: 4 },
  ];
  for (const [index, { kind, name, status, received, failed }] of ended.entries()) {
    await pool.query(
      `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
         file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, started_at, finished_at, revision)
       values (gen_random_uuid(), least((select min(position) from imports), 0) - 1, $1, $2, 'file', $3, $4, 100, $5, $5 - $6::int, $6, 'x', $3, 1, 'x', 'cli:test', '[]',
         now() - $7::int * interval '7 hours', now(), now() - $7::int * interval '7 hours', 1)`,
      [organisationId, kind, name, status, received, failed, index + 1],
    );
  }
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
