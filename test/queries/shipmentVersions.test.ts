// The versions of shipments whose imports complete and are reversed in whichever order: the query and the audit, which share no code, say the
// same at every time, and it is what a walk through the log gives.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deriveShipmentVersions } from "../../src/audit/history/shipmentVersions.js";
import { shipmentText } from "../../src/cli/audit/auditText.js";
import { actorOf, type Principal } from "../../src/domain/principal.js";
import { findShipment } from "../../src/queries/shipments/shipmentLedger.js";
import { hasVersions, listVersions } from "../../src/queries/shipments/shipmentVersions.js";
import { goodsLine, type Told, tell } from "../support/importStory.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";
import { reverse } from "../support/reversalStory.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
});
afterAll(() => model?.close());

const by: Principal = { kind: "member", id: "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f60" };
const signal = new AbortController().signal;
const all = { asOf: undefined, upTo: undefined, count: 100 };

/** A letter's first use pushes an import, the second completes it, the third reverses it. Capitals have the shipment twice. */
type Steps = string;

/** What the ledger shows after each step, and when each version was reversed, by letters. */
function walk(steps: Steps) {
  const [pushed, completed, reversed] = [[] as string[], new Set<string>(), new Map<string, number>()];
  const shown: (string | undefined)[] = [];
  for (const [index, letter] of [...steps].entries()) {
    if (!pushed.includes(letter)) pushed.push(letter);
    else if (!completed.has(letter)) completed.add(letter);
    else reversed.set(letter, index);
    shown.push(pushed.findLast((each) => completed.has(each) && !reversed.has(each)));
  }
  return { pushed: pushed.filter((each) => completed.has(each)), reversed, shown };
}

/** Times in the order of the steps, after everything that the test records. */
const timeOf = (index: number) => new Date(Date.UTC(2100, 0, 1) + index * 1_000);

async function record(organisationId: string, steps: Steps): Promise<Map<string, string>> {
  const told = new Map<string, Told>();
  for (const [index, letter] of [...steps].entries()) {
    const known = told.get(letter);
    if (!known) {
      const isTwice = letter !== letter.toLowerCase();
      const rows = (isTwice ? [1, 2] : [1]).map((n) => ({ accept: goodsLine("S1", { mark: `${letter}${n}` }) }));
      const story = tell({ importId: randomUUID(), organisationId, kind: "shipments", source: "data", sourceDetails: letter, rows });
      await model.eventStore.append(story.stream, story.events.slice(0, 1), -1n);
      told.set(letter, story);
      continue;
    }
    const { importId, stream, events } = known;
    if ((await model.eventStore.last(stream))?.revision === 0n) await model.eventStore.append(stream, events.slice(1), 0n);
    else {
      // Whichever of two numbers is named, both shipments with the id are reversed.
      const what = index % 2 === 0 ? {} : { rows: [[1, 1]] as [[number, number]], shipments: [[1, 1]] as [[number, number]] };
      await reverse(model.eventStore, {
        organisationId,
        importId,
        count: 1,
        by,
        reason: `no ${letter}`,
        at: timeOf(index).toISOString(),
        ...what,
      });
    }
  }
  await model.project();
  return new Map([...told].map(([letter, { importId }]) => [importId, letter]));
}

test.each([
  ["one replaces the other", "aabb"],
  ["the later completes first", "abba"],
  ["the later is reversed", "aabbb"],
  ["the earlier is reversed, then the later", "aabbab"],
  ["the later is reversed before the earlier completes", "abbba"],
  ["three, of which the middle and the last are reversed", "aabbccbc"],
  ["all are reversed in the order of their pushes", "abcabcabc"],
  ["each has the shipment twice", "EEFFFE"],
  ["the one that has it twice is reversed", "aEEaE"],
  ["the last never completes", "aabbc"],
])("the query and the audit name the same versions, reversals and the version in the ledger, at every time: %s", async (_, steps) => {
  const organisationId = randomUUID();
  const letterOf = await record(organisationId, steps);
  const { pushed, reversed, shown } = walk(steps);
  const twice = pushed.flatMap((letter) => (letter === letter.toLowerCase() ? [letter] : [letter, letter]));
  // Times before the first reversal are those of the imports themselves, which the event store's clock gives.
  const times = [...steps].flatMap((_, index) => ([...reversed.values()].includes(index) ? [index] : []));
  for (const index of [undefined, ...times]) {
    const asOf = index === undefined ? undefined : timeOf(index);
    const isReversed = (letter: string) => (reversed.get(letter) ?? steps.length) <= (index ?? steps.length - 1);
    const page = await listVersions(organisationId, { ...all, asOf, shipmentId: "S1" }, model.pool);
    const told = (page?.versions ?? []).map((each) => ({ letter: letterOf.get(each.importId), reason: each.reversed?.reason }));
    expect(told).toEqual(twice.map((letter) => ({ letter, reason: isReversed(letter) ? `no ${letter}` : undefined })));
    const standing = pushed.filter((letter) => !isReversed(letter));
    expect(page?.shown && letterOf.get(page.shown.importId)).toBe(standing.at(-1) ?? null);
    const audited = await deriveShipmentVersions({ eventStore: model.eventStore, organisationId, shipmentId: "S1", asOf, signal });
    const compared = ({
      reversed: found,
      supersededBy,
      importId,
    }: {
      reversed: { at: string } | null;
      supersededBy: string | null;
      importId: string;
    }) => ({
      importId,
      supersededBy,
      at: found?.at,
    });
    expect(page?.versions.map(compared)).toEqual(audited.map(compared));
    if (asOf === undefined)
      expectEverShown(
        pushed,
        shown,
        audited.map((each) => ({ ...each, letter: letterOf.get(each.importId) ?? "" })),
      );
  }
  const last = shown.at(-1);
  expect((await findShipment(organisationId, "S1", model.pool))?.["sourceDetails"]).toBe(last);
});

/** The last of an import's shipments with one id came into the ledger if the ledger ever showed its import. */
function expectEverShown(
  pushed: readonly string[],
  shown: readonly (string | undefined)[],
  audited: readonly { letter: string; supersededBy: string | null }[],
): void {
  for (const letter of pushed) {
    const own = audited.filter((each) => each.letter === letter);
    expect([letter, own.at(-1)?.supersededBy === null]).toEqual([letter, shown.includes(letter)]);
    for (const other of own.slice(0, -1)) expect(other.supersededBy).not.toBeNull();
  }
}

test("a version that a later push had kept out comes into the ledger when that push is reversed", async () => {
  const organisationId = "late";
  await record(organisationId, "abbab");
  const [first, second] = await deriveShipmentVersions({ eventStore: model.eventStore, organisationId, shipmentId: "S1", signal });
  expect(first).toMatchObject({ shownAt: timeOf(4).toISOString(), supersededBy: null, reversed: null });
  expect(second).toMatchObject({ reversed: { at: timeOf(4).toISOString(), reason: "no b", by } });
  const lines = shipmentText(
    "S1",
    [first, second].flatMap((each) => each ?? []),
    ({ id }) => id,
  );
  expect(lines.filter((line) => /Version|reversed/.test(line))).toEqual([
    `Version 1, in the ledger from ${timeOf(4).toISOString()}`,
    `Version 2, in the ledger from 2026-03-01T10:00:00.000Z, reversed ${timeOf(4).toISOString()}`,
    `  reversed  ${timeOf(4).toISOString()} by ${by.id}: no b`,
  ]);
  const page = await listVersions(organisationId, { ...all, shipmentId: "S1" }, model.pool);
  expect(page?.versions[1]?.reversed).toEqual({
    reversalId: second?.reversed?.reversalId,
    at: timeOf(4).toISOString(),
    reason: "no b",
    actor: actorOf(by),
  });
});

test("a page of versions names the version in the ledger also when it is on another page", async () => {
  const organisationId = "pages";
  const letterOf = await record(organisationId, "aabbccdddcb");
  const page = await listVersions(organisationId, { shipmentId: "S1", asOf: undefined, upTo: undefined, count: 2 }, model.pool);
  expect(page).toMatchObject({ all: 4, versions: [{ number: 3 }, { number: 4 }], shown: { number: 1, reversed: null } });
  expect(letterOf.get(page?.shown?.importId ?? "")).toBe("a");
});

test("a shipment of which everything is reversed has versions, and nothing in the ledger", async () => {
  await record("gone", "aaa");
  expect(await findShipment("gone", "S1", model.pool)).toBeUndefined();
  expect(await hasVersions("gone", "S1", model.pool)).toBe(true);
  expect(await listVersions("gone", { ...all, shipmentId: "S1" }, model.pool)).toMatchObject({ all: 1, shown: null });
  expect([await hasVersions("other", "S1", model.pool), await hasVersions("gone", "\0", model.pool)]).toEqual([false, false]);
});
