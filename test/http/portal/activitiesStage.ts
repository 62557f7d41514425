// Two organisations with activities: some at the edges of a month, and more of an earlier year than fit into a socket's buffers.
import { afterAll, beforeAll } from "vitest";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { writeTotals } from "../../../src/projections/models/activities.js";
import { activity, tell } from "../../support/importStory.js";
import { addMember, signedIn, type Visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestService } from "../../support/service.js";

/** How many rows January 2021 has. */
export const many = 12_000;

/** Starts the stage for all tests of a file. */
export function useActivities() {
  let service: TestService;
  let viewer: Visitor;
  let stranger: Visitor;
  let importId: string;

  beforeAll(async () => {
    service = await startTestService();
    const [own, other] = [
      await service.organisation((file) => Object.assign(file.organisation, { timezone: "Australia/Adelaide" })),
      await service.organisation(),
    ];
    const at = (activityTimestamp: string, more = {}) => ({ accept: activity({ activityTimestamp, ...more }) });
    importId = await push(own.id, [
      at("2026-02-28T13:29:59.999Z", { quantity: 1000 }), // the last instant of February in Adelaide
      at("2026-02-28T13:30:00Z", { quantity: 0.1, customerId: "CUST-001" }),
      at("2026-03-31T13:29:59Z", { quantity: 0.2, customerId: "CUST-001", warehouseCode: "W2", reference: '=HYPERLINK("x"),\r\n"y"' }),
      at("2026-03-31T13:30:00Z", { quantity: 2000 }),
      at("2026-03-10T00:00:00+10:30", { quantity: -1234567.5, chargeCode: "@SUM(A1)", reference: "-5", status: "+1" }),
    ]);
    await fill(own.id);
    await push(other.id, [at("2026-03-05T00:00:00Z", { reference: "SECRET", warehouseCode: "SECRET" })]);
    viewer = await signedIn(service, await addMember(service, own.id, "viewer"));
    stranger = await signedIn(service, await addMember(service, other.id, "admin"));
  });
  afterAll(() => service?.close());

  async function push(organisationId: string, rows: { accept: Record<string, unknown> }[]): Promise<string> {
    const { importId: id, stream, events } = tell({ organisationId, kind: "activities", sourceDetails: "march <b>.csv", rows });
    for (let from = 0; from < events.length; from += 500)
      await service.eventStore.append(stream, events.slice(from, from + 500), from === 0 ? noStream : BigInt(from - 1));
    await projectLog(service);
    return id;
  }

  /** Writes more rows than fit into the sockets' buffers straight into the tables, with random text that compresses badly. */
  async function fill(organisationId: string): Promise<void> {
    await service.pool.query(
      `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
         file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, revision)
       values (gen_random_uuid(), -9, $1, 'activities', 'file', 'x', 'completed', 100, 1, 1, 0, 'k', 'x.csv', 1, '', 'cli:test', '[]', now(), 1)`,
      [organisationId],
    );
    await service.pool.query(
      `insert into activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, reference, status)
       select -9, n + 2, 'W1', 'PICK', n + 1, '2021-01-05T00:00:00Z', 'R-' || n, string_agg(md5(n || ' ' || k), '')
         from generate_series(0, $1::int - 1) as n, generate_series(1, 60) as k group by n`,
      [many],
    );
    await transaction(service.pool, (client) => writeTotals(client, [{ position: "-9", organisationId }]));
  }

  return {
    get service() {
      return service;
    },
    get viewer() {
      return viewer;
    },
    /** A member of the other organisation. */
    get stranger() {
      return stranger;
    },
    /** The import with the rows at the edges of March 2026. */
    get importId() {
      return importId;
    },
  };
}
