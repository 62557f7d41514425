import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pushFieldNames } from "../../../src/domain/imports/fields.js";
import { makeLateReports } from "../../../src/workers/imports/upkeep/lateReports.js";
import { eventually } from "../../support/eventually.js";
import { append, tell } from "../../support/importStory.js";
import type { TestService } from "../../support/service.js";
import { type LateReportStage, openLateReportStage, signal } from "./lateReportStage.js";

let stage: LateReportStage;
let service: TestService;
beforeAll(async () => {
  stage = await openLateReportStage();
  service = stage.service;
});
afterAll(() => stage?.close());

describe("a report that is made from the import's stream alone", () => {
  async function told(end: "failed" | "cancelled" | "running", source: "data" | "file" = "data") {
    const organisation = await service.organisation();
    const data = { warehouseCode: "W1", quantity: "2", reference: "a" };
    const story = tell({
      organisationId: organisation.id,
      kind: "activities",
      source,
      end,
      rows: [
        { reject: "Charge code is required", data },
        { reject: "x", data: { warehouseCode: "W2" } },
      ],
    });
    await append(service.eventStore, story);
    await eventually(async () => (await stage.table(story.importId)) === (end === "running" ? "processing" : end), "the projection");
    await ended(story.importId, 0); // the times in the story's events are long ago
    return { organisation, importId: story.importId, statusUrl: `/v1/org/fulfilment/imports/${story.importId}` };
  }
  const ended = (importId: string, hoursAgo: number) =>
    service.pool.query(
      "update imports set finished_at = now() - make_interval(hours => $2) where import_id = $1 and finished_at is not null",
      [importId, hoursAgo],
    );
  const linkOf = async ({ organisation, statusUrl }: Awaited<ReturnType<typeof told>>) =>
    (await stage.check(organisation, statusUrl)).errorReportUrl;

  test("has every column of a push, for a failed import whose file is gone", async () => {
    const failed = await told("failed");
    expect(await linkOf(failed)).toBeNull();
    await stage.makeDue();
    expect(await stage.opened((await linkOf(failed)) ?? "")).toEqual([
      ["Row number", "Rejection reason", ...pushFieldNames("activity")],
      ["1", "Charge code is required", "W1", "", "2", "", "", "a", ""],
      ["2", "x", "W2", "", "", "", "", "", ""],
    ]);
  });

  test("that cannot be stored is tried again after 5 minutes, then 10, at most a day, and holds up no other report", async () => {
    const [first, second] = [await told("cancelled"), await told("cancelled")];
    const failing = `reports/${first.importId}.xlsx`;
    const objectStore: typeof service.objectStore = {
      ...service.objectStore,
      put: (key, ...rest) => (key === failing ? Promise.reject(new Error("no room")) : service.objectStore.put(key, ...rest)),
    };
    const deps = { ...service.deps, objectStore, signal };
    const minutes = async () => {
      const left = "select round(extract(epoch from claimed_until - now()) / 60)::int as minutes from late_reports where import_id = $1";
      return (await service.pool.query<{ minutes: number }>(left, [first.importId])).rows[0]?.minutes;
    };
    const wait = () => service.pool.query("update late_reports set claimed_until = now() - interval '1 second' where report_key is null");
    await makeLateReports(deps, service.deps.tempDir);
    expect([await linkOf(first), await linkOf(second)]).toEqual([null, expect.stringContaining(second.importId)]);
    expect(await minutes()).toBe(5);
    await wait();
    await makeLateReports(deps, service.deps.tempDir);
    expect(await minutes()).toBe(10);
    await service.pool.query("update late_reports set attempts = 1000 where import_id = $1", [first.importId]);
    await wait();
    await makeLateReports(deps, service.deps.tempDir);
    expect(await minutes()).toBe(24 * 60);
    await wait();
    await stage.makeDue();
    expect(await linkOf(first)).toContain(first.importId);
  });

  test("is not made for a running import, and is not made twice", async () => {
    const [running, cancelled] = [await told("running", "file"), await told("cancelled", "file")];
    await stage.makeDue();
    expect(await service.objectStore.exists(`reports/${running.importId}.xlsx`)).toBe(false);
    expect(await linkOf(running)).toBeNull();
    // A damaged table: by its stream the import still runs.
    await service.pool.query("update imports set status = 'cancelled', finished_at = now() where import_id = $1", [running.importId]);
    await stage.makeDue();
    expect(await service.objectStore.exists(`reports/${running.importId}.xlsx`)).toBe(false);
    expect(await linkOf(running)).toBeNull();
    const stored: string[] = [];
    const put: typeof service.objectStore.put = async (key) => void stored.push(key);
    await service.pool.query("update late_reports set claimed_until = now() - interval '1 second' where import_id = $1", [
      cancelled.importId,
    ]);
    await makeLateReports({ ...service.deps, objectStore: { ...service.objectStore, put }, signal }, service.deps.tempDir);
    expect(stored).toEqual([]);
    expect(await linkOf(cancelled)).toContain(cancelled.importId);
  });

  test("is made for imports that ended within the last 30 days", async () => {
    const [late, tooLate] = [await told("cancelled"), await told("cancelled")];
    await ended(late.importId, 30 * 24 - 1);
    await ended(tooLate.importId, 30 * 24 + 1);
    await stage.makeDue();
    expect([await linkOf(late), await linkOf(tooLate)]).toEqual([expect.stringContaining(late.importId), null]);
  });

  test("is made for imports that ended early, which are found by their index among 20,000 others", async () => {
    await service.pool.query(`
      insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
                           file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
      select gen_random_uuid(), -n, 'elsewhere', 'activities', 'data', '', 'completed', 100, 2, 1, 1, '', '', 0, '', '', '[]', now(), now(), 1
        from generate_series(1, 20000) as n`);
    await service.pool.query("analyze imports");
    const asked: [string, unknown[]][] = [];
    const query = (sql: string, values: unknown[]) => {
      asked.push([sql, values]);
      return Promise.resolve({ rows: [] });
    };
    await makeLateReports({ ...service.deps, pool: { query } as unknown as typeof service.pool, signal }, service.deps.tempDir);
    const [[sql, values] = ["", []]] = asked;
    const plan = await service.pool.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values);
    expect(plan.rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("imports_ended_early");
  });

  test("is made again when its row in late_reports is lost", async () => {
    const cancelled = await told("cancelled");
    await stage.makeDue();
    await service.pool.query("delete from late_reports where import_id = $1", [cancelled.importId]);
    expect(await linkOf(cancelled)).toBeNull();
    await stage.makeDue();
    expect(await linkOf(cancelled)).toContain(cancelled.importId);
  });
});
