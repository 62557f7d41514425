// Corrections and reversals, wherever a batch ends: the tables hold what a plain model makes of the same log.
import { expect, test } from "vitest";
import type { StoredEvent } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { type Randomness, seeded } from "../faults/randomness.js";
import { useBatches } from "./batchStage.js";
import { type Expected, expectedOf, randomLog } from "./correctionLogs.js";

const { context, apply } = useBatches();
const named = (...names: string[]) => allProjections.filter(({ name }) => names.includes(name));

async function found(): Promise<Expected> {
  const textsOf = async (query: string) => (await context().pool.query<{ text: string }>(query)).rows.map(({ text }) => text).sort();
  return {
    links: await textsOf(
      `select import_id || ' ' || "row" || ' <- ' || correction_id || ' ' || correction_row || ' ' || state || case when reversed then ' reversed' else '' end as text
         from row_corrections`,
    ),
    finished: await textsOf(`select import_id || ' ' || "row" || ' ' || state as text from finished_rows`),
    withdrawn: await textsOf("select import_id as text from withdrawn_imports"),
    groups: await textsOf(
      `select import_id || ' ' || reason || ': ' || rows || ' ' || open || ' ' || submitted || ' ' || dismissed || ' ' || corrected as text from rejection_groups`,
    ),
  };
}

const empty = () =>
  context().pool.query(
    "truncate imports, reversals, rejections, row_corrections, finished_rows, withdrawn_imports, rejection_groups, checkpoints",
  );

function batchesOf(log: readonly StoredEvent[], random: Randomness): StoredEvent[][] {
  const most = random.pick([1, 4, 40, log.length]);
  const batches: StoredEvent[][] = [];
  for (let from = 0; from < log.length; from += batches.at(-1)?.length ?? 1) batches.push(log.slice(from, from + 1 + random.number(most)));
  return batches;
}

const seeds = Array.from({ length: 3 }, (_, seed) => seed + 1);

test.each(seeds)("the rows' states are those of the log at the end of every batch (seed %i)", async (seed) => {
  const random = seeded(seed);
  const log = randomLog(random, 70);
  await empty();
  const projections = named("imports", "reversals", "rejections");
  let seen = 0;
  for (const batch of batchesOf(log, random)) {
    await apply(batch, { projections });
    await apply(batch, { projections }); // delivered again
    seen += batch.length;
    expect(await found()).toEqual(expectedOf(log.slice(0, seen)));
  }
});

test("a rebuild beside tables that have all reversals already comes to the same", async () => {
  const random = seeded(77);
  const log = randomLog(random, 150);
  await empty();
  await apply(log, { projections: named("imports", "reversals") });
  for (const batch of batchesOf(log, random)) await apply(batch, { projections: named("rejections") });
  expect(await found()).toEqual(expectedOf(log));
});
