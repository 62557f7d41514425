// Rejected rows, and every way to correct them: the API, the grid in the portal, and an uploaded error report.
import { randomUUID } from "node:crypto";
import { addMember, formToken, signedIn, type Visitor } from "../support/portal/portal.js";
import { until } from "../support/processes.js";
import type { TestOrganisation, TestService } from "../support/service.js";

export type Json = Record<string, unknown>;
export const imports = "/v1/org/fulfilment/imports";
const bad = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z", customerId: "CUST-999" };
export const rows = [
  { row: 1, values: { customerId: "" } },
  { row: 2, values: { customerId: "" } },
];

const statusOf = async (organisation: TestOrganisation, importId: unknown) =>
  ((await (await organisation.get(`${imports}/${importId}`)).json()) as Json)["status"];
export const endOf = (organisation: TestOrganisation, importId: unknown, status = "completed") =>
  until(`the import is ${status}`, async () => (await statusOf(organisation, importId)) === status);

export async function rejectedRows(organisation: TestOrganisation): Promise<string> {
  const answer = await organisation.post("/v1/org/fulfilment/activities", { activities: [bad, bad] });
  const { importId } = (await answer.json()) as { importId: string };
  await endOf(organisation, importId);
  return importId;
}

export const activities = async (organisation: TestOrganisation) =>
  ((await (await organisation.get("/v1/org/ledger/activities")).json()) as { items: Json[] }).items.length;

interface People {
  readonly first: Visitor;
  readonly second: Visitor;
}

/** Uploads a corrected error report, saved as CSV. */
async function uploadReport(who: Visitor, importId: string): Promise<void> {
  const line = (row: number) => `${row},Customer not found,SYD1,PICK,1,2026-03-01T09:30:00Z,,,`;
  const header = "Row number,Rejection reason,warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference,status";
  const file = new File([[header, ...rows.map(({ row }) => line(row)), ""].join("\n")], `rejected-rows-${importId}.csv`);
  const fields = { token: await formToken(who), kind: "activities", page: randomUUID() };
  const answer = await who.upload("/portal/upload", fields, file, { accept: "application/x-ndjson" });
  await answer.text();
}

export type CorrectionStage = ReturnType<typeof correctionsAt>;

export function correctionsAt(service: TestService) {
  /** The URL of a second API process, which the second member uses. */
  let other: string | undefined;

  async function correct(
    organisation: TestOrganisation,
    importId: string,
    { url = service.url, key = "" } = {},
  ): Promise<string | undefined> {
    const headers: Record<string, string> = key === "" ? {} : { "idempotency-key": key };
    const answer = await organisation.post(`${url}${imports}/${importId}/corrections`, { rows }, headers).catch(() => undefined);
    return answer?.status === 202 ? ((await answer.json()) as { importId: string }).importId : undefined;
  }

  async function people(organisation: TestOrganisation): Promise<People> {
    const add = async () => signedIn(service, await addMember(service, organisation.id, "operator"));
    return { first: await add(), second: await add() };
  }

  /** Sends the correction as the grid does; the page makes the `key`. */
  async function correctInPortal(
    who: Visitor,
    importId: string,
    { url = service.url, key = randomUUID() } = {},
  ): Promise<string | undefined> {
    const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, origin: new URL(url).origin, "x-form-token": await formToken(who), "content-type": "application/json" };
    const body = JSON.stringify({ importId, key, rows });
    const answer = await fetch(`${url}/portal/corrections/submit`, { method: "POST", headers, body }).catch(() => undefined);
    return answer?.status === 202 ? ((await answer.json()) as { importId: string }).importId : undefined;
  }

  /** Corrects by two members, the API and a report at the same time. Returns the ids of the imports that were accepted. */
  async function correctEveryWay(organisation: TestOrganisation, importId: string): Promise<string[]> {
    const { first, second } = await people(organisation);
    other ??= await service.startAnotherApi();
    await Promise.all([
      correctInPortal(first, importId),
      correctInPortal(second, importId, { url: other }),
      correct(organisation, importId),
      uploadReport(second, importId),
    ]);
    const queued = await service.pool.query<{ importId: string }>(
      `select import_id as "importId" from import_queue where organisation_id = $1`,
      [organisation.id],
    );
    return queued.rows.map((row) => row.importId);
  }

  return { correct, people, correctInPortal, correctEveryWay };
}
