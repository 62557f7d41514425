// Pages that change by themselves: when they are told, how many queries it costs, and when their stream ends.
import type { Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { changeRole, removeMember } from "../../../src/commands/members/manageMembers.js";
import { openPageLimits } from "../../../src/http/portal/live/openPages.js";
import { eventually } from "../../support/eventually.js";
import { type OpenSource, openSource } from "../../support/portal/eventSource.js";
import { addMember, formToken, signedIn, type Visitor, visitor } from "../../support/portal/portal.js";
import { type PortalStage, preparePortal } from "../../support/portal/portalStage.js";
import { projectLog } from "../../support/projectLog.js";
import { reverse } from "../../support/reversalStory.js";
import { startTestService, type TestService } from "../../support/service.js";
import { startApi } from "../../support/startApi.js";

const list = "/portal/live/imports";
const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;

let service: TestService;
let stage: PortalStage;
let operator: Visitor;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
  await projectLog(service);
  operator = await signedIn(service, stage.people.operator);
});
afterAll(() => service?.close());

const open = new Set<OpenSource>();
afterEach(async () => {
  await Promise.all([...open].map((source) => source.close()));
  open.clear();
});

async function listen(who: Visitor, path: string): Promise<OpenSource> {
  const source = await openSource(who, path);
  open.add(source);
  return source;
}

/** As if the tables had this many of the file's 100 rows: reading the file is the first tenth of the progress. */
const setRows = async (importId: string, rows: number) => {
  await service.pool.query("update import_queue set all_rows = 100 where import_id = $1", [importId]);
  await service.pool.query("update imports set status = 'processing', received = $2, processed = $2 where import_id = $1", [
    importId,
    rows,
  ]);
};
/** Opens a page's stream as its script does: with the version that the page shows. */
async function follow(who: Visitor, page: string): Promise<OpenSource> {
  const html = await (await who.get(page)).text();
  const [, address = "", version = ""] = /data-live="([^"]*)" data-version="([^"]*)"/.exec(html) ?? [];
  expect(address).not.toBe("");
  return listen(who, `${address}?version=${version}`);
}

/** Resolves once the page was told that it is behind. */
const told = (source: OpenSource, times = 1) => eventually(() => source.versions.length >= times, `message ${times}`);

const shown = async (who: Visitor, path: string) => (await who.get(path)).text();

describe("an open page", () => {
  test("of the list is told of changed and new imports of its own organisation only", async () => {
    const other = await service.organisation();
    const stranger = await signedIn(service, await addMember(service, other.id, "admin"));
    const [ours, theirs] = [await follow(operator, "/portal/imports"), await follow(stranger, "/portal/imports")];
    await setRows(stage.waitingId, 35);
    await told(ours);
    expect(await shown(operator, "/portal/imports")).toContain("41 %");
    const pushed = await other.post("/v1/org/fulfilment/activities", {
      sourceDetails: "Theirs",
      activities: [{ warehouseCode: "SYD", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-07-01T01:00:00Z" }],
    });
    expect(pushed.status).toBe(202);
    await projectLog(service);
    await told(theirs);
    expect(await shown(stranger, "/portal/imports")).toContain("Theirs");
    expect(ours.versions).toHaveLength(1);
    expect(ours.text()).not.toContain("Theirs");
  });

  test("of an import is told of its progress, that it is being cancelled, and that it has ended; the page has it by role", async () => {
    const path = `/portal/imports/${stage.waitingId}`;
    const viewer = await signedIn(service, stage.people.viewer);
    await setRows(stage.waitingId, 45);
    const [forOperator, forViewer, ofList] = [
      await follow(operator, path),
      await follow(viewer, path),
      await follow(operator, "/portal/imports"),
    ];
    await setRows(stage.waitingId, 47);
    await told(forOperator);
    expect(await shown(operator, path)).toContain("51 %");
    await service.pool.query("update import_queue set cancel_requested = true where import_id = $1", [stage.waitingId]);
    await told(forViewer, 2);
    expect(await shown(viewer, path)).toContain("Cancelling");
    await service.pool.query("update import_queue set cancel_requested = false where import_id = $1", [stage.waitingId]);
    await service.pool.query("update imports set status = 'failed', error_message = 'The file broke off.' where import_id = $1", [
      stage.waitingId,
    ]);
    await told(forViewer, 3);
    await told(ofList, 3);
    const [operators, viewers] = [await shown(operator, path), await shown(viewer, path)];
    for (const html of [operators, viewers]) expect(html).toContain("The file broke off.");
    for (const source of [forOperator, forViewer]) expect(source.text()).not.toContain(await formToken(operator));
  });

  test("that connects again is told what has ended meanwhile", async () => {
    for (const path of [list, `${list}/${stage.importId}`]) await told(await listen(operator, `${path}?version=earlier`));
  });

  test("of an import is told what is reversed of it", async () => {
    const { activitiesId: importId, organisationId } = stage;
    const path = `/portal/imports/${importId}`;
    const page = await follow(operator, path);
    await reverse(service.eventStore, { organisationId, importId, count: 400, reason: "Sent twice" });
    await projectLog(service);
    await told(page);
    const html = await shown(operator, path);
    expect(html).toContain("Sent twice");
    expect(html).toContain("0 rejected, reversed");
    expect(html).toContain("Reversed as a whole");
  });
});

/** The pool, with all its queries recorded. */
function counting(pool: Pool): { pool: Pool; queries: string[] } {
  const queries: string[] = [];
  const query = (...given: Parameters<Pool["query"]>) => {
    const [first] = given as unknown as [string | { text: string }];
    queries.push(typeof first === "string" ? first : first.text);
    return pool.query(...given);
  };
  const counted = new Proxy(pool, {
    get: (target, name) => {
      if (name === "query") return query;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { pool: counted, queries };
}

describe("open pages", () => {
  test("cost the same queries for one page as for a hundred, and none when all are closed", async () => {
    const { pool, queries } = counting(service.pool);
    const portal = { ...service.portal, pool };
    const api = await startApi({ deps: { ...service.deps, pool, portal }, host: "127.0.0.1", port: 0, logger: service.deps.logger });
    try {
      const members = await Promise.all(Array.from({ length: 5 }, () => signedIn(service, stage.people.viewer)));
      const pages = Array.from({ length: 100 }, (_, n) => ({
        who: visitor(`http://127.0.0.1:${api.port}`, members[n % members.length]?.cookies),
        path: n % 2 === 0 ? list : `${list}/${stage.importId}`,
      }));
      const isReading = (text: string) => text.includes("listed left join states");
      const readings = () => queries.filter(isReading).length;
      /** The number of queries during two readings of the imports, without those for the sessions, which have their own timer. */
      const during = async () => {
        const next = readings() + 1; // skip one reading: it may have begun earlier, or be for pages that have just opened
        await eventually(() => readings() > next + 2, "readings");
        const ofImports = queries.filter((text) => !text.includes("sessions"));
        const places = ofImports.flatMap((text, place) => (isReading(text) ? [place] : []));
        return (places[next + 2] ?? 0) - (places[next] ?? 0);
      };
      const [one, ...others] = pages;
      await listen(one?.who as Visitor, one?.path ?? "");
      const alone = await during();
      await Promise.all(others.map(({ who, path }) => listen(who, path)));
      const together = await during();
      expect(alone).toBeGreaterThanOrEqual(2);
      expect(together).toBe(alone);
      await Promise.all([...open].map((source) => source.close()));
      let last = { count: readings(), at: performance.now() };
      await eventually(() => {
        if (readings() > last.count) last = { count: readings(), at: performance.now() };
        return performance.now() - last.at > 2_000;
      }, "no more readings");
    } finally {
      await api.stop();
    }
  });

  test("are bounded for each session", async () => {
    const who = await signedIn(service, stage.people.viewer);
    const first = await Promise.all(Array.from({ length: openPageLimits.perSession }, () => listen(who, list)));
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 200));
    const one = await listen(who, list);
    expect(one.status).toBe(503);
    await first[0]?.close();
    await eventually(async () => (await listen(who, list)).status === 200, "a place");
    expect((await listen(operator, list)).status).toBe(200);
  });
});

describe("a stream ends", () => {
  const opened = async (role: "viewer" | "operator") => {
    const member = await addMember(service, stage.organisationId, role);
    const who = await signedIn(service, member);
    return { member, who, source: await listen(who, list) };
  };

  test("with its session: when the member signs out, is removed or gets another role", async () => {
    const [out, removed, changed, stays] = [await opened("viewer"), await opened("viewer"), await opened("viewer"), await opened("viewer")];
    const { members } = service.portal;
    const { organisationId } = stage;
    await out.who.post("/portal/sign-out", { token: await formToken(out.who) });
    await removeMember(members, { organisationId, member: removed.member.memberId }, origin);
    await changeRole(members, { organisationId, member: changed.member.memberId, role: "operator" }, origin);
    for (const { source } of [out, removed, changed]) await eventually(() => source.ended() === "in order", "the end");
    expect(stays.source.ended()).toBeUndefined();
    expect((await openSource(removed.who, list)).status).toBe(401);
  });

  test("when the API stops, and in order, so that the stop need not cut it off", async () => {
    const api = await startApi({
      deps: { ...service.deps, portal: service.portal },
      host: "127.0.0.1",
      port: 0,
      logger: service.deps.logger,
    });
    onTestFinished(api.stop);
    const who = visitor(`http://127.0.0.1:${api.port}`, operator.cookies);
    const sources = await Promise.all([listen(who, list), listen(who, `${list}/${stage.importId}`)]);
    await eventually(() => sources.every((source) => source.text() !== ""), "the first bytes");
    await api.stop();
    await eventually(() => sources.every((source) => source.ended() !== undefined), "the end");
    // If the stop had waited for the streams, it would have cut them off at last.
    expect(sources.map((source) => source.ended())).toEqual(["in order", "in order"]);
  });
});
