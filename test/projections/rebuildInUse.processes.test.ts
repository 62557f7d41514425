// A rebuild while keys are revoked, requests answered and imports pushed.
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { transaction } from "../../src/adapters/postgres/pool.js";
import { createKey, revokeKey, rotateKey } from "../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import type { OrganisationDeps } from "../../src/commands/organisations/organisationStream.js";
import { parseOrganisationFile } from "../../src/domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../src/domain/catalogue/schema.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { catchUpOrganisation } from "../../src/projections/models/organisations.js";
import type { RebuildOptions } from "../../src/projections/rebuild/rebuild.js";
import { activity, goodsLine } from "../support/importStory.js";
import type { ReadModel } from "../support/readModel.js";
import { createShell } from "../support/shell.js";
import { identical, runRebuild, startRebuildStage, stories, tables } from "./rebuildStage.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startRebuildStage();
});
afterAll(() => model?.close());

const run = (options: Partial<RebuildOptions> = {}) => runRebuild(model, options);

const organisationDeps = (): OrganisationDeps => ({
  eventStore: model.eventStore,

  now: async () => new Date(),
  project: (organisationId) =>
    catchUpOrganisation({ eventStore: model.eventStore, inTransaction: (work) => transaction(model.pool, work) }, organisationId),
});

function organisationFile(id: string): OrganisationFile {
  const parsed = parseOrganisationFile({ organisation: { id, name: id, cubicFactor: 250, timezone: "UTC" } });
  if (!parsed.ok) throw new Error(parsed.faults.join());
  return parsed.file;
}

describe("a key revoked before the swap", () => {
  beforeEach(() => model.stopProjector());
  afterEach(() => model.startProjector());

  test("stays revoked, though no projector has seen the event", async () => {
    const deps = organisationDeps();
    const origin = { by: { kind: "cli" as const, id: "cli" }, correlationId: "test" };
    await applyOrganisation(deps, organisationFile("keyed"), origin);
    const { keyId } = await createKey(deps, { organisationId: "keyed", name: "test" }, origin);
    await revokeKey(deps, { organisationId: "keyed", prefix: keyId }, origin);
    const rebuilt = await run({ projections: allProjections.filter(({ name }) => name === "organisations") });
    expect(rebuilt).toSatisfy(identical);
    const { rows } = await model.pool.query("select revoked_at is not null as revoked from api_keys where key_id = $1", [keyId]);
    expect(rows).toEqual([{ revoked: true }]);
  });

  test("keeps its secrets and limits, and one of an earlier version gets its creator", async () => {
    const deps = organisationDeps();
    const origin = { by: { kind: "cli" as const, id: "cli" }, correlationId: "test" };
    await applyOrganisation(deps, organisationFile("limited"), origin);
    const limits = { scopes: ["read"], expiresAt: new Date(Date.now() + 3_600_000) };
    const { keyId } = await createKey(deps, { organisationId: "limited", name: "test", ...limits }, origin);
    for (let rotations = 0; rotations < 2; rotations += 1) await rotateKey(deps, { organisationId: "limited", prefix: keyId }, origin);
    const keyRows = async () =>
      (await model.pool.query("select * from api_keys where key_id = $1 order by rotated_at nulls first", [keyId])).rows;
    const before = await keyRows();
    expect(before).toMatchObject(Array.from({ length: 3 }, () => ({ created_by: "cli:cli", scopes: ["read"] })));
    await model.pool.query("update api_keys set created_by = null");
    await run({ projections: allProjections.filter(({ name }) => name === "organisations") });
    expect(await keyRows()).toEqual(before);
  });
});

describe("after every projection table was dropped", () => {
  test("a rebuild restores the same answer from every GET route", async () => {
    const origin = { by: { kind: "cli" as const, id: "cli" }, correlationId: "test" };
    await applyOrganisation(organisationDeps(), organisationFile("answers"), origin);
    const { key } = await createKey(organisationDeps(), { organisationId: "answers", name: "test" }, origin);
    const told = [];
    for (const story of stories) told.push(await model.record({ ...story, organisationId: "answers" }));
    await model.project();
    const app = createShell(model.pool, { deps: { eventStore: model.eventStore } });
    const kinds = stories.map(({ kind }) => (kind === "shipments" ? "shipments" : "fulfilment"));
    const paths = [
      ...told.flatMap(({ importId }, index) => ["", "/errors"].map((rest) => `/v1/org/${kinds[index]}/imports/${importId}${rest}`)),
      ...["shipments/imports", "fulfilment/imports", "ledger/shipments", "ledger/shipments/S1", "ledger/activities"].map(
        (path) => `/v1/org/${path}`,
      ),
    ];
    const answers = () =>
      Promise.all(
        paths.map(async (path) => (await app.request(path, { headers: { "x-api-key": key } })).text().then((body) => [path, body])),
      );
    const before = await answers();
    await model.pool.query(`drop table ${[...tables, "checkpoints"].join(", ")}`);
    await run();
    expect(await answers()).toEqual(before);
  });
});

describe("during continuous pushes", () => {
  const rounds = process.env["WAYBILL_LONG"] ? 20 : 2;

  test(`${rounds} rebuilds lose and duplicate nothing, and readers never find a table missing`, async () => {
    const organisationId = "busy";
    const stop = new AbortController();
    let activities = 0;
    let rejected = 0;
    const pushing = async () => {
      for (let push = 0; !stop.signal.aborted; push += 1) {
        const count = 1 + (push % 7);
        const rows = Array.from({ length: count }, () => ({ accept: activity({ reference: String(push) }) }));
        await model.record({ kind: "activities", organisationId, rows: [...rows, { reject: "x" }] });
        await model.record({
          kind: "shipments",
          organisationId,
          rows: [{ accept: goodsLine(`P${push % 5}`, { originSuburb: String(push) }) }],
        });
        activities += count;
        rejected += 1;
        await pause(20); // otherwise the log would grow faster than the rebuilds can read it
      }
    };
    const reading = async () => {
      for (; !stop.signal.aborted; await pause(5)) {
        await model.pool.query("select from activities join imports on position = import_position order by import_position desc limit 1");
      }
    };
    const others = Promise.all([pushing(), reading(), reading()]);
    try {
      for (let round = 0; round < rounds; round += 1) expect(await run()).toSatisfy(identical);
    } finally {
      stop.abort();
      await others;
    }
    await model.project();
    const count = async (from: string) =>
      Number((await model.pool.query(`select count(*) from ${from} where organisation_id = $1`, [organisationId])).rows[0].count);
    expect(await count("activities join imports on position = import_position")).toBe(activities);
    expect(await count("rejections join imports on position = import_position")).toBe(rejected);
    const { rows } = await model.pool.query(
      "select max((fields ->> 'originSuburb')::int) as newest from shipments where organisation_id = $1",
      [organisationId],
    );
    expect(rows[0].newest).toBe(rejected - 1);
    expect(await run()).toSatisfy(identical);
  }, 300_000);
});
