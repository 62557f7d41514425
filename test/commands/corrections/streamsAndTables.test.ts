// Commands look at the streams, lists at the tables: both have to come to the same, in whatever order corrections and reversals come.
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrationStatements } from "../../../src/adapters/postgres/migrate.js";
import { verify } from "../../../src/audit/verify.js";
import { decide } from "../../../src/commands/corrections/correctionsDecider.js";
import { claimRows, decideCorrections, holdersOf, loadCorrections } from "../../../src/commands/corrections/correctionsStream.js";
import { rejectedRowStates } from "../../../src/commands/corrections/openRows.js";
import { loadImport } from "../../../src/commands/imports/importStream.js";
import { streamOf } from "../../../src/events/streams.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import type { ObjectStore } from "../../../src/ports/objectStore.js";
import { allProjections } from "../../../src/projections/allProjections.js";
import { rebuild } from "../../../src/projections/rebuild/rebuild.js";
import { rowStates } from "../../../src/queries/rejectedRows/rowStates.js";
import { seeded } from "../../faults/randomness.js";
import { activity, type Row, tell } from "../../support/importStory.js";
import { type ReadModel, startReadModel } from "../../support/readModel.js";
import { reverse } from "../../support/reversalStory.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
});
afterAll(() => model?.close());

const by = { kind: "worker", id: "w1" } as const;
const context = { organisation: "acme", by, correlationId: "test" };
const now = new Date("2026-03-01T10:00:00Z");

interface Import {
  readonly importId: string;
  readonly corrects?: { importId: string; rows: number[]; accepted: number[] };
  rows: Row[];
  claimed: boolean;
  /** The rows that it was refused. They are finished, and neither dismissed nor opened again. */
  refused: ReadonlySet<number>;
  state: "running" | "completed" | "failed";
  readonly reversed: Set<number>;
  isReversed: boolean;
}

const numbersOf = ({ rows }: Import, kind: "accept" | "reject") => rows.flatMap((row, index) => (kind in row ? [index + 1] : []));
const nothing = async () => new Map<number, string>();

async function play(seed: number, length: number): Promise<Import[]> {
  const { eventStore } = model;
  const random = seeded(seed);
  const imports: Import[] = [];
  const someOf = (rows: readonly number[]) => rows.filter(() => random.chance(0.7));
  const outcome = (): Row => (random.chance(0.5) ? { accept: activity() } : { reject: "Customer not found" });
  const completed = () => imports.filter(({ state }) => state === "completed");
  const storyOf = ({ importId, rows, corrects, state }: Import) =>
    tell({
      importId,
      kind: "activities",
      source: "data",
      rows,
      ...(corrects && { corrects }),
      end: state === "failed" ? "failed" : "completed",
    });
  const begin = async (corrects?: Import["corrects"]) => {
    const begun = { importId: randomUUID(), claimed: false, refused: new Set<number>(), reversed: new Set<number>(), isReversed: false };
    const told: Import = { ...begun, ...(corrects && { corrects }), rows: [], state: "running" };
    imports.push(told);
    await eventStore.append(streamOf.import(told.importId), storyOf(told).events.slice(0, 2), -1n);
    return told;
  };
  const end = async (told: Import, state: "completed" | "failed") => {
    told.state = state;
    await eventStore.append(streamOf.import(told.importId), storyOf(told).events.slice(2), 1n);
  };
  const reverseSome = async (told: Import) => {
    if (told.isReversed) return;
    const all = random.chance(0.4);
    const left = numbersOf(told, "accept").filter((row) => !told.reversed.has(row));
    const rows = all ? left : someOf(left);
    if (!all && rows.length === 0) return;
    told.isReversed = all;
    for (const row of rows) told.reversed.add(row);
    await reverse(eventStore, { importId: told.importId, count: rows.length, rows: all ? "all" : rows.map((row) => [row, row]) });
  };
  /** A reversal may come between the look at the stream of reversals and the append to that of corrections. */
  const overtaken = (of: Import): EventStore => ({
    ...eventStore,
    append: async (...args) => {
      if (random.chance(0.3)) await reverseSome(of);
      return eventStore.append(...args);
    },
  });
  const findImport = (importId: string) => imports.find((each) => each.importId === importId) as Import;
  const steps: Record<string, () => Promise<void>> = {
    async push() {
      const told = await begin();
      told.rows = [outcome(), outcome(), outcome()];
      await end(told, "completed");
    },
    async correct() {
      const of = random.pick(completed());
      const rows = of ? someOf(of.rows.map((_, index) => index + 1)) : [];
      if (of && rows.length > 0)
        await begin({ importId: of.importId, rows, accepted: rows.filter((row) => numbersOf(of, "accept").includes(row)) });
    },
    async claim() {
      const told = random.pick(imports.filter(({ corrects, claimed, state }) => corrects && !claimed && state === "running"));
      if (!told?.corrects) return;
      const { importId, rows } = told.corrects;
      const wanted = { importId, rows, correction: told.importId, superseded: nothing, by, now };
      const refused = await claimRows(overtaken(findImport(importId)), wanted, context);
      expect(await claimRows(eventStore, wanted, context)).toEqual(refused);
      told.claimed = true;
      told.refused = new Set(refused.map(({ correctionRow }) => correctionRow));
      told.rows = rows.map((_, index) => (told.refused.has(index + 1) ? { reject: "Already corrected" } : outcome()));
    },
    async end() {
      const told = random.pick(imports.filter(({ state }) => state === "running"));
      if (told) await end(told, told.claimed && random.chance(0.85) ? "completed" : "failed");
    },
    async change() {
      const told = random.pick(completed());
      const rows = told ? someOf(numbersOf(told, "reject").filter((row) => !told.refused.has(row))) : [];
      if (!told || rows.length === 0) return;
      const { importId } = told;
      const change = random.chance(0.6) ? ({ type: "dismissRows", note: "n" } as const) : ({ type: "reopenRows" } as const);
      await decideCorrections(overtaken(told), importId, rows, context, (state, released) =>
        decide({ ...change, importId, rows, released, by, now }, state),
      ).catch(() => undefined); // a row is taken, or withdrawn
    },
    async reverse() {
      const told = random.pick(completed());
      if (told) await reverseSome(told);
    },
  };
  const usual = ["push", "correct", "correct", "claim", "claim", "claim", "end", "end", "end", "change", "reverse"];
  for (let step = 0; step < length; step += 1) await steps[random.pick(usual)]?.();
  // A correction that was sent and not claimed yet is only in the tables, and in the queue of a real service.
  for (const told of imports) if (told.state === "running") await end(told, told.claimed ? "completed" : "failed");
  return imports;
}

const seen = new Set<string>();

test.each(process.env["VERIFY"] === "on" ? [1, 2, 3, 4, 5, 6] : [1, 2])(
  "a row is open in the tables where it is open by the streams (seed %i)",
  async (seed) => {
    const imports = await play(seed, 160);
    await model.project();
    for (const told of imports.filter(({ state }) => state === "completed")) {
      const { importId } = told;
      const { state: loaded, position = 0n } = await loadImport(model.eventStore, importId);
      if (loaded.status === "none") throw new Error("no import");
      const shown = await rowStates("acme", { kind: "activities", importId }, numbersOf(told, "reject"), model.pool);
      for (const state of shown.values()) seen.add(state);
      for await (const rows of rejectedRowStates(model, { request: loaded.request, position }))
        for (const { row, state } of rows)
          expect({ importId, row, open: state === null }).toEqual({ importId, row, open: shown.get(row) === "open" });
      const { rows: links } = await model.pool.query(`select "row" from row_corrections where import_id = $1`, [importId]);
      const linked = new Set(links.map(({ row }) => row));
      const { state: corrections } = await loadCorrections(model.eventStore, importId);
      for (const [row] of await holdersOf(model.eventStore, corrections, numbersOf(told, "accept"))) {
        seen.add("replaced");
        expect(linked).toContain(row);
      }
    }
  },
);

test("the audit finds nothing, and a rebuild gives the same rows", async () => {
  const { pool, eventStore } = model;
  const { signal } = new AbortController();
  const objectStore = {} as ObjectStore; // the files are not looked at
  const audited = await verify({ pool, eventStore, objectStore, tempDir: "", signal, organisationId: undefined, files: false });
  expect(audited.findings.first).toEqual([]);
  const logger = pino({ level: "silent" });
  const options = { pool, eventStore, logger, signal, migrations: migrationStatements(), projections: allProjections };
  for (const { live, rebuilt } of (await rebuild(options)).comparisons) expect(rebuilt).toEqual(live);
});

test("every state was among them", () => {
  expect([...seen]).toEqual(expect.arrayContaining(["open", "corrected", "dismissed", "withdrawn", "replaced"]));
});
