// Sends the API reference's example requests for the demo organisation, and records each answer by its operation and status.
import { randomUUID } from "node:crypto";
import { createKey } from "../../../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../../../src/commands/organisations/organisation.js";
import { demoOrganisation } from "../../../../src/demo/demoOrganisation.js";
import { parseOrganisationFile } from "../../../../src/domain/catalogue/organisationFile.js";
import { exampleRequests } from "../../../../src/http/api/document/examples/examples.js";
import { routes } from "../../../../src/http/api/routes/list.js";
import { eventually } from "../../../support/eventually.js";
import { organisationDeps, type TestService } from "../../../support/service.js";

export type Recorded = Record<string, Record<string, unknown>>;
type Json = Record<string, unknown>;

interface Sent {
  readonly params?: Record<string, string>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The worker is stopped before the last pushes, so that their imports wait and can be cancelled. */
export async function recordAnswers(service: TestService, stopWorker: () => Promise<void>): Promise<Recorded> {
  const recorded: Recorded = {};
  const key = await demoKey(service);
  const call = async (operationId: string, { params = {}, query = "", body, headers = {} }: Sent = {}) => {
    const route = routes.find((each) => each.operationId === operationId);
    if (!route) throw new Error(`there is no operation ${operationId}`);
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
    const isForm = body instanceof FormData;
    const response = await fetch(`${service.url}${path}${query}`, {
      method: route.method,
      headers: { "x-api-key": key, ...(body === undefined || isForm ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    const ofOperation = recorded[operationId] ?? {};
    recorded[operationId] = { ...ofOperation, [response.status]: ofOperation[response.status] ?? answer };
    return answer;
  };
  const example = (operationId: string) => exampleRequests[operationId]?.body as Json;
  /** Repeats the request until the answer is as wanted, and records only that answer. */
  const until = (operationId: string, sent: Sent, wanted: (answer: Json) => boolean) =>
    eventually(async () => {
      delete recorded[operationId]?.["200"];
      return wanted(await call(operationId, sent));
    });
  /** One item is enough to show what a list answers, and the cursor to the next page with it. */
  const onePage = (operationId: string) => {
    delete recorded[operationId]?.["200"];
    return call(operationId, { query: "?limit=1" });
  };
  const ended = (operationId: string, { importId }: Json) =>
    until(operationId, { params: { importId: String(importId) } }, ({ status }) => status === "completed");
  const hasItems =
    (count: number) =>
    ({ items }: Json) =>
      (items as unknown[]).length === count;
  const unknown = { importId: randomUUID() };

  const quotes = await call("generateQuotes", { body: example("generateQuotes") });
  await call("generateQuotes", { body: { ...example("generateQuotes"), general: { customerIds: [] } } });
  await call("generateQuotes", { body: { ...example("generateQuotes"), general: { customerIds: ["CUST-999"] } } });
  const quoteId = String((quotes["results"] as Json[])[0]?.["quoteId"]);
  await call("fetchQuote", { params: { quoteId } });
  await call("fetchQuote", { params: { quoteId: randomUUID() } });
  await until("listQuotes", {}, hasItems(1));
  await call("listQuotes", { query: "?limit=0" });

  for (const { push, upload, check, list, errors, correct, cancel, ledger } of kinds) {
    const idempotent = { "idempotency-key": randomUUID() };
    const pushed = await call(push, { body: example(push), headers: idempotent });
    await call(push, { body: { ...example(push), sourceDetails: "Another" }, headers: idempotent });
    await call(push, { body: { [push === "pushShipments" ? "shipments" : "activities"]: [] } });
    await ended(check, pushed);
    const uploaded = await call(upload, { body: form(upload) });
    await call(upload, { body: form(upload, "shipmentId,colour\n1,red\n") });
    await call(upload, { body: form(upload), headers: { "idempotency-key": idempotent["idempotency-key"] } });
    await ended(check, uploaded);
    const params = { importId: String(uploaded["importId"]) };
    await call(check, { params: unknown });
    await call(errors, { params });
    await call(errors, { params, query: "?limit=0" });
    await call(errors, { params: unknown });
    if (push === "pushActivities") {
      await until("listUnusualFulfilmentRows", { params }, hasItems(1));
      await call("listUnusualFulfilmentRows", { params, query: "?limit=0" });
      await call("listUnusualFulfilmentRows", { params: unknown });
    }
    const corrected = await call(correct, { params, body: example(correct) });
    await call(correct, { params, body: { rows: [] } });
    await call(correct, { params: unknown, body: example(correct) });
    await ended(check, corrected);
    await call(correct, { params, body: example(correct) });
    await call(correct, { params, body: example(correct), headers: idempotent });
    await until(check, { params }, ({ errorReportUrl }) => errorReportUrl !== null);
    await until(list, {}, hasItems(3));
    await onePage(list);
    await call(list, { query: "?limit=0" });
    await call(cancel, { params });
    await call(cancel, { params: unknown });
    await until(ledger, {}, hasItems(ledger === "listLedgerShipments" ? 3 : 4));
    await onePage(ledger);
    await call(ledger, { query: "?limit=0" });
  }
  await stopWorker();
  for (const { push, cancel } of kinds) {
    const { importId } = await call(push, { body: example(push) });
    await call(cancel, { params: { importId: String(importId) } });
  }
  await until("getLedgerActivityTotals", {}, hasItems(2));
  await call("getLedgerActivityTotals", { query: "?from=2026" });
  await until("listLog", { query: "?what=keys&limit=1" }, hasItems(1));
  await call("listLog", { query: "?limit=0" });
  await call("getLedgerShipment", { params: { shipmentId: "SO-1001" } });
  await call("getLedgerShipment", { params: { shipmentId: "SO-9999" } });
  await call("listLedgerActivities", { query: `?importId=${unknown.importId}` });
  for (const { reverse, reversals, list } of kinds) {
    const [waits, , done] = (await call(list))["items"] as Json[];
    const params = { importId: String(done?.["importId"]) };
    await call(reverse, { params: { importId: String(waits?.["importId"]) }, body: example(reverse) });
    await call(reverse, { params, body: { all: true } });
    await call(reverse, { params: unknown, body: example(reverse) });
    const none = reverse === "reverseShipmentRows" ? { shipmentIds: ["SO-9999"] } : { rows: [99] };
    await call(reverse, { params, body: { ...none, reason: "Never sent" } });
    await call(reverse, { params, body: example(reverse) });
    await until(reversals, { params }, hasItems(1));
    await call(reversals, { params, query: "?limit=0" });
    await call(reversals, { params: unknown });
  }
  await until("listLedgerActivityTotalChanges", { query: "?since=2026-07-01" }, hasItems(4));
  await call("listLedgerActivityTotalChanges", { query: "?since=now" });
  return shown(recorded);
}

const kinds = [
  {
    ...{ push: "pushShipments", upload: "uploadShipments", check: "checkShipmentImport", list: "listShipmentImports" },
    ...{
      errors: "listRejectedShipmentRows",
      correct: "correctShipmentRows",
      cancel: "cancelShipmentImport",
      reverse: "reverseShipmentRows",
      reversals: "listShipmentReversals",
      ledger: "listLedgerShipments",
    },
  },
  {
    ...{ push: "pushActivities", upload: "uploadActivities", check: "checkFulfilmentImport", list: "listFulfilmentImports" },
    ...{
      ...{ errors: "listRejectedFulfilmentRows", correct: "correctFulfilmentRows", cancel: "cancelFulfilmentImport" },
      ...{ reverse: "reverseFulfilmentRows", reversals: "listFulfilmentReversals" },
      ledger: "listLedgerActivities",
    },
  },
];

function form(operationId: string, text?: string): FormData {
  const { file, sourceDetails } = exampleRequests[operationId] ?? {};
  const made = new FormData();
  if (sourceDetails !== undefined) made.append("sourceDetails", sourceDetails);
  made.append("file", new File([text ?? file?.text ?? ""], file?.name ?? ""));
  return made;
}

/** Makes the demo organisation, also under another id, and a key for it. */
export async function demoKey({ pool, eventStore }: TestService, id = demoOrganisation.organisation.id): Promise<string> {
  const parsed = parseOrganisationFile({ ...demoOrganisation, organisation: { ...demoOrganisation.organisation, id } });
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const deps = organisationDeps(pool, eventStore);
  const origin = { by: { kind: "cli" as const, id: "test" }, correlationId: randomUUID() };
  await applyOrganisation(deps, parsed.file, origin);
  return (await createKey(deps, { organisationId: id, name: "reference" }, origin)).key;
}

/** Replaces ids, times, links and cursors by fixed ones, so that the file does not change from run to run; equal ids stay equal. */
function shown(recorded: Recorded): Recorded {
  const ids = new Map<string, string>();
  const idFor = (id: string) => {
    if (!ids.has(id)) ids.set(id, `0198c2f0-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    return String(ids.get(id));
  };
  const text = JSON.stringify(recorded)
    .replaceAll(/"(errorReportUrl)":"[^"]+"/g, '"$1":"https://waybill.example/files/rejected-rows.xlsx?signature=..."')
    .replaceAll(/"nextCursor":"[^"]+"/g, '"nextCursor":"eyJhZnRlciI6MTAwfQ.c2lnbmF0dXJl"')
    .replaceAll(/wb_live_[0-9A-Za-z]{4}/g, "wb_live_9fQ2")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, idFor)
    .replaceAll(/"(submittedAt|startedAt|finishedAt|updatedAt|generatedAt|at)":"[^"]+"/g, '"$1":"2026-07-02T00:30:00.000Z"');
  return JSON.parse(text) as Recorded;
}
