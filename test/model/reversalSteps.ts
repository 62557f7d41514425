// Random steps of one organisation. Each is sent over the API, told to the model, and its answer compared with what the model says.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { dismissRows, reopenRows } from "../../src/commands/corrections/dismissRows.js";
import { type Randomness, seeded } from "../faults/randomness.js";
import { until } from "../support/processes.js";
import type { TestOrganisation, TestService } from "../support/service.js";
import { createModel, type Kind, type ModelImport, type ModelUnit, type ReversalModel, type RowName } from "./reversalModel.js";

export const base = { activities: "/v1/org/fulfilment/imports", shipments: "/v1/org/shipments/imports" };

export interface Run {
  readonly service: TestService;
  readonly organisation: TestOrganisation;
  readonly random: Randomness;
  readonly model: ReversalModel;
  /** What was done, for the message of a failure. */
  readonly told: string[];
  /** Earlier times, each with the model's totals at that time. */
  readonly earlier: { at: string; totals: ReturnType<ReversalModel["totals"]> }[];
  remember(): Promise<void>;
}

export async function newRun(service: TestService, seed: number): Promise<Run> {
  const model = createModel();
  const told: string[] = [];
  const earlier: Run["earlier"] = [];
  return {
    ...{ service, organisation: await service.organisation(), random: seeded(seed), model, told, earlier },
    async remember() {
      const { rows } = await service.pool.query<{ now: Date }>("select clock_timestamp() as now");
      earlier.push({ at: (rows[0]?.now ?? new Date()).toISOString(), totals: model.totals() });
      told.push(`remember the totals of ${earlier.at(-1)?.at}`);
    },
  };
}

export async function takeStep(run: Run): Promise<void> {
  const { random, model } = run;
  const steps = [pushActivities, pushShipments, correct, correct, reverse, reverse, reverse, dismissOrReopen];
  await (model.imports.length < 2 ? random.pick([pushActivities, pushShipments]) : random.pick(steps))(run);
}

/** The tables have everything that the log has now. */
export async function projected({ pool, eventStore }: Pick<TestService, "pool" | "eventStore">): Promise<void> {
  const head = await eventStore.head();
  await until("the tables are up to date", async () => {
    const { rows } = await pool.query("select min(commit) >= $1 as there from checkpoints", [String(head?.commit ?? 0n)]);
    return rows[0]?.there === true;
  });
}

async function json(answer: Response, status: number): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as Record<string, unknown>;
  expect({ status: answer.status, body }).toMatchObject({ status });
  return body;
}

async function completed(run: Run, kind: Kind, answer: Response): Promise<string> {
  const { importId } = (await json(answer, 202)) as { importId: string };
  await until("the import has completed", async () => {
    const { status } = await json(await run.organisation.get(`${base[kind]}/${importId}`), 200);
    return status === "completed";
  });
  await projected(run.service);
  return importId;
}

const chosen = <Item>(random: Randomness, items: readonly Item[], share = 0.6): Item[] => {
  const some = items.filter(() => random.chance(share));
  return some.length > 0 || items.length === 0 ? some : [random.pick(items)];
};

const times = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index));

const unknownCustomer = "CUST-999";
const activityColumns = ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference"];

function newUnit(random: Randomness, handle: string, rows: readonly number[]): ModelUnit {
  const accepted = random.chance(0.65);
  return {
    ...{ rows, accepted, handle, reversed: false },
    customerId: accepted ? random.pick(["", "CUST-001"]) : unknownCustomer,
    chargeCode: random.pick(["PICK", "PACK"]),
    quarters: random.pick([4, 10, -4, 1]),
  };
}

async function pushActivities(run: Run): Promise<void> {
  const { random, organisation, model, told } = run;
  const isFile = random.chance(0.4);
  // Their references are ids of shipments too.
  const units = times(1 + random.number(5), (index) => newUnit(random, random.pick(["A", "B", "C", "D"]), [index + (isFile ? 2 : 1)]));
  const activities = units.map(({ chargeCode, quarters, customerId, handle }) => ({
    ...{ warehouseCode: "SYD1", chargeCode, quantity: quarters / 4, activityTimestamp: "2026-03-01T09:30:00Z" },
    ...(customerId === "" ? {} : { customerId }),
    reference: handle,
  }));
  const lines = activities.map((activity) => activityColumns.map((name) => (activity as Record<string, unknown>)[name] ?? "").join(","));
  const answer = isFile
    ? organisation.upload("/v1/org/fulfilment/activities/file", new File([[activityColumns.join(","), ...lines].join("\n")], "a.csv"))
    : organisation.post("/v1/org/fulfilment/activities", { activities });
  const importId = await completed(run, "activities", await answer);
  model.push({ importId, kind: "activities", units });
  told.push(`push activities ${importId}: ${textOf(units)}`);
}

const place = { originPostCode: "2000", originSuburb: "Sydney", destinationPostCode: "3000", destinationSuburb: "Melbourne" };
const shipmentColumns = ["shipmentId", "customerId", ...Object.keys(place), "itemType", "itemQuantity"];

/** In a file the lines of a shipment are anywhere; in JSON an id may come twice, which are two shipments. */
async function pushShipments(run: Run): Promise<void> {
  const { random, organisation, model, told } = run;
  const isFile = random.chance(0.5);
  const ids = isFile ? chosen(random, ["A", "B", "C", "D"]) : times(1 + random.number(4), () => random.pick(["A", "B", "C", "D"]));
  const lines = ids.flatMap((id, shipment) => times(1 + random.number(2), () => ({ id, shipment, order: random.number(1_000) })));
  if (isFile) lines.sort((one, other) => one.order - other.order);
  const units = ids.map((id, shipment) =>
    newUnit(
      random,
      id,
      lines.flatMap((line, index) => (line.shipment === shipment ? [index + (isFile ? 2 : 1)] : [])),
    ),
  );
  const item = { itemType: "Carton", itemQuantity: 1 };
  const shipments = units.map(({ handle, customerId, rows }) => ({
    ...{ shipmentId: handle, ...place, items: rows.map(() => item) },
    ...(customerId === "" ? {} : { customerId }),
  }));
  const text = lines.map(({ id, shipment }) =>
    [id, units[shipment]?.customerId, ...Object.values(place), ...Object.values(item)].join(","),
  );
  const answer = isFile
    ? organisation.upload("/v1/org/shipments/imports/file", new File([[shipmentColumns.join(","), ...text].join("\n")], "s.csv"))
    : organisation.post(base.shipments, { shipments });
  const importId = await completed(run, "shipments", await answer);
  model.push({ importId, kind: "shipments", units, isJson: !isFile });
  told.push(`push shipments ${importId}: ${textOf(units)}`);
}

const textOf = (units: readonly ModelUnit[]): string =>
  units.map(({ rows, handle, accepted }) => `${handle}(${rows.join()})${accepted ? "" : " rejected"}`).join(", ");

/** The units that can be corrected. */
function correctable({ model }: Run, { importId, kind, units }: ModelImport): ModelUnit[] {
  return units.filter((unit) => {
    const name = { importId, row: unit.rows[0] as number };
    if (!unit.accepted) return model.stateOf(name) === "open";
    return kind === "activities" && !model.isReversed(name) && !model.isHeld(name);
  });
}

async function correct(run: Run): Promise<void> {
  const { random, organisation, model, told } = run;
  const some = model.imports.filter((each) => correctable(run, each).length > 0);
  if (random.chance(0.2)) await correctClosed(run);
  if (some.length === 0) return;
  const of = random.pick(some);
  const { importId: parent, kind } = of;
  const meant = chosen(random, correctable(run, of));
  const direction = random.pick([1, -1]);
  const rows = meant.flatMap((unit) => unit.rows).sort((one, other) => direction * (one - other));
  const elementOf = (unit: ModelUnit) =>
    kind === "shipments" ? model.elementOf({ importId: parent, row: unit.rows[0] as number })?.row : 0;
  const judged = meant.map((unit) => ({ unit, element: elementOf(unit) ?? 0, isSound: random.chance(0.75) }));
  const units = judged.map(({ unit, element, isSound }): ModelUnit => {
    const place = rows.indexOf(unit.rows[0] as number);
    // A later element with the same id that stands before it in the correction.
    const isOvertaken = judged.some(
      (other) =>
        other.isSound && other.unit.handle === unit.handle && other.element > element && rows.indexOf(other.unit.rows[0] as number) < place,
    );
    return {
      ...unit,
      rows: unit.rows.map((row) => rows.indexOf(row) + 1).sort((one, other) => one - other),
      accepted: isSound && !isOvertaken,
      customerId: isSound ? "" : unknownCustomer,
      quarters: 2,
      reversed: false,
    };
  });
  const unitOf = (row: number) => units.find((unit) => unit.rows.includes(rows.indexOf(row) + 1)) as ModelUnit;
  const values = (row: number) => ({ customerId: unitOf(row).customerId, ...(kind === "activities" ? { quantity: "0.5" } : {}) });
  const reason = meant.some(({ accepted }) => accepted) ? { reason: "wrong quantity" } : {};
  told.push(`correct ${parent} rows ${rows.join()}: ${textOf(units)}`);
  const body = { rows: rows.map((row) => ({ row, values: values(row) })), ...reason };
  const importId = await completed(run, kind, await organisation.post(`${base[kind]}/${parent}/corrections`, body));
  told.push(`  is ${importId}`);
  model.push({
    importId,
    kind,
    units,
    corrects: new Map(rows.map((row, index): [number, RowName] => [index + 1, { importId: parent, row }])),
  });
}

/** A row that is not open is refused. */
async function correctClosed(run: Run): Promise<void> {
  const { random, organisation, model, told } = run;
  const closed = model.imports.flatMap((of) => {
    const can = new Set(correctable(run, of));
    return of.units.filter((unit) => !can.has(unit) && (!unit.accepted || of.kind === "activities")).map((unit) => ({ of, unit }));
  });
  if (closed.length === 0) return;
  const { of, unit } = random.pick(closed);
  const { rows } = unit;
  told.push(`correct ${of.importId} rows ${rows.join()}, which are not open`);
  const body = {
    rows: rows.map((row) => ({ row, values: { customerId: "" } })),
    ...(of.kind === "activities" ? { reason: "x" } : {}),
  };
  await json(await organisation.post(`${base[of.kind]}/${of.importId}/corrections`, body), 409);
}

async function dismissOrReopen(run: Run): Promise<void> {
  const { random, organisation, model, service, told } = run;
  const now = new Date();
  const change = { organisationId: organisation.id, by: { kind: "cli" as const, id: "test" }, requestId: randomUUID(), now };
  const state = random.pick(["open", "open", "dismissed"] as const);
  const some = model.imports.flatMap((of) => {
    const units = of.units.filter(
      (unit) => !unit.accepted && model.stateOf({ importId: of.importId, row: unit.rows[0] as number }) === state,
    );
    return units.map((unit) => ({ of, unit }));
  });
  if (some.length === 0) return;
  const { of, unit } = random.pick(some);
  const { rows } = unit;
  told.push(`${state === "open" ? "dismiss" : "reopen"} ${of.importId} rows ${rows.join()}`);
  if (state === "open") {
    await dismissRows(service.deps, { ...change, importId: of.importId, rows, note: "" });
    for (const row of rows) model.dismiss({ importId: of.importId, row });
  } else if (of.all) {
    await expect(reopenRows(service.deps, { ...change, importId: of.importId, rows })).rejects.toThrow("its import is reversed");
  } else {
    await reopenRows(service.deps, { ...change, importId: of.importId, rows });
    for (const row of rows) model.reopen({ importId: of.importId, row });
  }
  await projected(run.service);
}

async function reverse(run: Run): Promise<void> {
  const { random, organisation, model, told } = run;
  const of = random.pick(model.imports);
  const { importId, kind } = of;
  const accepted = of.units.filter((unit) => unit.accepted);
  const isAll = accepted.length === 0 || random.chance(0.35);
  const picked = chosen(random, accepted, 0.4);
  const units = isAll
    ? undefined
    : accepted.filter((unit) => picked.some((each) => each === unit || (kind === "shipments" && each.handle === unit.handle)));
  const includeCorrections = random.chance(0.4);
  const what = units
    ? kind === "shipments"
      ? { shipmentIds: units.map(({ handle }) => handle) }
      : { rows: units.flatMap(({ rows }) => rows) }
    : { all: true };
  const send = async (preview: boolean) => {
    const body = { ...what, includeCorrections, preview, reason: "sent twice" };
    told.push(`reverse ${importId} ${JSON.stringify(body)}`);
    const answer = await json(await organisation.post(`${base[kind]}/${importId}/reversals`, body), 200);
    await projected(run.service);
    return answer;
  };
  const expected = () => model.reverse(importId, units, includeCorrections);
  if (random.chance(0.3)) {
    const { isRecorded: _, ...figures } = model.preview(expected);
    expect(await send(true)).toEqual({ reversalId: null, importId, ...figures });
  }
  for (let again = random.chance(0.2) ? 2 : 1; again > 0; again -= 1) {
    const { isRecorded, ...figures } = expected();
    expect(await send(false)).toEqual({ reversalId: isRecorded ? expect.any(String) : null, importId, ...figures });
  }
}
