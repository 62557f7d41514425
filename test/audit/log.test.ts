import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyLog } from "../../src/cli/audit/verifyLog.js";
import { sentenceOf, sentenceText } from "../../src/domain/log/sentences.js";
import { type EventType, isEventOn, type StreamKind, streamEvents } from "../../src/events/registry.js";
import { streamOf } from "../../src/events/streams.js";
import { noStream } from "../../src/ports/eventStore.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

const organisationId = "audited";
const importId = randomUUID();
let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
  await recordExamples();
  await model.project();
});
afterAll(() => model?.close());

const kinds = Object.keys(streamEvents) as StreamKind[];
/** Of these the tables of other projections need more than one event, or the log has nothing to show. */
const withoutEntries: readonly EventType[] = ["LogCreated", "QuotesGenerated", "QuoteGenerated", "LocalitiesImported", "MemberErased"];

/** Every recorded example of an event, each kind on one stream of the organisation; sign-ins are of now. */
async function recordExamples(): Promise<void> {
  const idOf = new Map<StreamKind, string>(kinds.map((kind) => [kind, kind === "organisation" ? organisationId : randomUUID()]));
  const revisions = new Map<string, bigint>();
  for (const name of (await readdir("test/fixtures/events")).toSorted()) {
    const { type, data, metadata } = JSON.parse(await readFile(`test/fixtures/events/${name}`, "utf8"));
    if (withoutEntries.includes(type) || type.startsWith("Catalogue")) continue;
    const kind = kinds.find((each) => isEventOn(each, type)) as StreamKind;
    if (kind === "import" && type !== "ImportRequested" && type !== "ImportCancelled") continue;
    const stream = streamOf[kind](kind === "import" ? randomUUID() : (idOf.get(kind) ?? ""));
    const now = kind === "signIns" ? { at: new Date().toISOString() } : {};
    const own = "importId" in data ? { importId: kind === "import" ? stream.slice("import-".length) : importId } : {};
    const event = {
      ...{ id: randomUUID(), type, metadata: { ...metadata, organisation: organisationId } },
      json: JSON.stringify({ ...data, ...now, ...own, ...("organisationId" in data ? { organisationId } : {}) }),
    };
    const { revision } = await model.eventStore.append(stream, [event], revisions.get(stream) ?? noStream);
    revisions.set(stream, revision);
  }
}

const verified = (range: { from?: Date; to?: Date } = {}) =>
  verifyLog({ ...{ pool: model.pool, eventStore: model.eventStore, signal: new AbortController().signal }, organisationId, ...range });
const sentences = async () => (await verified()).findings.first.map(({ sentence }) => sentence);

test("the log that is derived from the streams is the table's, for every event that the log shows", async () => {
  const { entries, names, findings } = await verified();
  expect(findings.first).toEqual([]);
  const { rows } = await model.pool.query<{ count: number }>("select count(*)::int as count from log_entries where organisation_id = $1", [
    organisationId,
  ]);
  expect(entries).toHaveLength(rows[0]?.count ?? 0);
  expect(entries.length).toBeGreaterThan(20);
  for (const entry of entries) expect(sentenceText(sentenceOf(entry, names))).not.toMatch(/undefined|\$|\bnull\b/);
});

test("a row that is missing, wrong or too many is a difference", async () => {
  const change = (text: string, values: unknown[] = []) => model.pool.query(text, [organisationId, ...values]);
  const one = "organisation_id = $1 and type = 'MemberRoleChanged'";
  const { rows } = await model.pool.query(`select event_id as id from log_entries where ${one}`, [organisationId]);
  const place = `log_entries, event_id ${rows[0].id}: `;
  await change(`update log_entries set details = '{"role": "admin?"}' where ${one}`);
  expect(await sentences()).toEqual([expect.stringMatching(`^${place}details is .*admin\\?.*, the streams say .*role`)]);
  await change(`update log_entries set event_id = gen_random_uuid() where ${one}`);
  expect(await sentences()).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^log_entries, event_id .*: the streams have no such row$/),
      `${place}the row is missing`,
    ]),
  );
  await change(`delete from log_entries where ${one}`);
  expect(await sentences()).toEqual([`${place}the row is missing`]);
});

test("only the asked time is shown and compared", async () => {
  const all = (await verified()).entries;
  const at = all[0]?.at ?? new Date();
  const [before, after] = [await verified({ to: at }), await verified({ from: at })];
  expect(before.entries.length + after.entries.length).toBe(all.length);
  expect(after.entries.every((entry) => entry.at >= at)).toBe(true);
});
