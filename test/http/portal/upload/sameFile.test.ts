// A file that was sent before: the portal says which import has it, and asks before it uploads it again.
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { firstRequest } from "../../../../src/commands/imports/importStream.js";
import { addMember, formToken, heading, signedIn, type TestMember, type Visitor } from "../../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

let service: TestService;
let organisation: TestOrganisation;
let member: TestMember;
let who: Visitor;
let token: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  organisation = await service.organisation();
  member = await addMember(service, organisation.id, "operator");
  who = await signedIn(service, member);
  token = await formToken(who);
});

const header = "warehouseCode,chargeCode,quantity,activityTimestamp";
const picks = (quantity = 1) => new File([`${header}\nW1,PICK,${quantity},2026-03-01T00:00:00Z\n`], "picks.csv");
const script = () => ({ accept: "application/json", "x-form-token": token });
const fields = (page: string, more = {}) => ({ kind: "activities", page, ...more });
const send = (page: string, more = {}, file = picks()) => who.upload("/portal/upload/send", fields(page, more), file, script());
const plain = (page: string, more = {}) => who.upload("/portal/upload", { token, ...fields(page, more) }, picks());
const uploaded = async (answer: Response) => {
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { importId: string }).importId;
};
const html = async (answer: Response) => {
  expect(answer.status).toBe(200);
  const last = (await answer.text()).trim().split("\n").at(-1) ?? "{}";
  return (JSON.parse(last) as { html?: string }).html ?? "";
};
const text = (markup: string) => markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const named = (markup: string) => [.../data-again="([^"]*)"/g[Symbol.matchAll](markup)].map(([, importId]) => importId);
const sameFileAs = async (importId: string) => (await firstRequest(service.eventStore, importId))?.sameFileAs;
const recorded = async () => (await service.pool.query("select from import_queue where organisation_id = $1", [organisation.id])).rowCount;

describe("an upload of a file that was sent before", () => {
  test("asks, and says which import it is, when it was pushed and by whom; nothing is recorded", async () => {
    const first = await uploaded(await send("p1", { sourceDetails: "Monday picks" }));
    const asked = await html(await send("p2"));
    expect(text(asked)).toMatch(
      /picks\.csv is the same file as Monday picks , sent \d+ \w+ 20\d\d, \d\d:\d\d by The operator\. Nothing has been recorded yet\./,
    );
    expect(asked).toContain(`href="/portal/imports/${first}"`);
    expect(named(asked)).toEqual([first]);
    expect(asked).toContain(">Upload again</button>");
    expect(await recorded()).toBe(1);
    expect(await readdir(service.deps.tempDir)).toEqual([]);
  });

  test("goes in when the person says so, once, however often and from whichever page the form is sent", async () => {
    const first = await uploaded(await send("p1"));
    expect(named(await html(await send("p2")))).toEqual([first]);
    const [second, twice] = await Promise.all(
      [send("p2", { again: first }), send("p2", { again: first })].map(async (each) => uploaded(await each)),
    );
    expect(twice).toBe(second);
    expect(await sameFileAs(second ?? "")).toBe(first);
    expect(await uploaded(await send("p2"))).toBe(second); // the page is gone back to
    expect(await uploaded(await send("p1"))).toBe(first);
    expect(named(await html(await send("p3")))).toEqual([second]);
    expect(await recorded()).toBe(2);
  });

  test("asks once more when another import has the file by then", async () => {
    const first = await uploaded(await send("p1"));
    const pushed = await organisation.upload("/v1/org/fulfilment/activities/file", picks());
    const second = await uploaded(pushed);
    const asked = await html(await send("p2", { again: first }));
    expect(named(asked)).toEqual([second]);
    expect(text(asked)).toMatch(/by key test \(wb_live_\w+\.\.\.\)/);
    expect(await sameFileAs(await uploaded(await send("p2", { again: second })))).toBe(second);
  });

  test("says what follows from it, for each kind", async () => {
    await uploaded(await send("p1"));
    expect(text(await html(await send("p2")))).toContain("count twice in the totals to bill");
    const line =
      "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType\nS1,2000,Sydney,3000,Melbourne,Carton\n";
    const orders = () => new File([line], "orders.csv");
    await uploaded(await send("p3", { kind: "shipments" }, orders()));
    expect(text(await html(await send("p4", { kind: "shipments" }, orders())))).toContain("replace any later versions");
  });

  test("is not asked about where the other import was cancelled, and never for another file, organisation or kind", async () => {
    const first = await uploaded(await send("p1"));
    await uploaded(await send("p2", {}, picks(2)));
    expect((await organisation.post(`/v1/org/fulfilment/imports/${first}/cancel`, {})).status).toBe(200);
    await uploaded(await send("p3"));
    const other = await service.organisation();
    const stranger = await signedIn(service, await addMember(service, other.id, "operator"));
    const theirs = { accept: "application/json", "x-form-token": await formToken(stranger) };
    await uploaded(await stranger.upload("/portal/upload/send", fields("p1"), picks(), theirs));
  });

  test("without scripts asks for the file once more, with what the form had", async () => {
    const first = await uploaded(await send("p1"));
    const answer = await plain("p2", { sourceDetails: "Tuesday" });
    const page = await answer.text();
    expect([answer.status, heading(page)]).toEqual([200, "Upload a file"]);
    expect(text(page)).toContain("choose the file again and press Upload again");
    expect(page).toContain(`<input type="hidden" name="again" value="${first}"/>`);
    expect(page).toMatch(/<option value="activities" selected/);
    expect(page).toMatch(/name="sourceDetails"[^>]* value="Tuesday"/);
    expect(page).toMatch(/data-upload-button[^>]*>Upload again</);
    expect(await recorded()).toBe(1);
    const again = await plain("p4", { sourceDetails: "Tuesday", again: first });
    expect([again.status, again.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/portal\/imports\//)]);
    const back = await plain("p4", { sourceDetails: "Tuesday", again: first });
    expect(back.headers.get("location")).toBe(again.headers.get("location"));
    expect(await recorded()).toBe(2);
  });

  test("is told of by a check too, with and without scripts", async () => {
    const first = await uploaded(await send("p1", { sourceDetails: "Monday picks" }));
    const told = /This is the same file as Monday picks , sent .* by The operator\. Upload asks before it goes on\./;
    const checked = await html(await who.upload("/portal/upload/check", fields("p2"), picks(), script()));
    expect(text(checked)).toMatch(told);
    expect(checked).toContain(`href="/portal/imports/${first}"`);
    const page = await (await who.upload("/portal/upload/checked", { token, ...fields("p2") }, picks())).text();
    expect(text(page)).toMatch(told);
    const another = await html(await who.upload("/portal/upload/check", fields("p2"), picks(3), script()));
    expect(text(another)).not.toContain("same file");
  });
});

test("an import's page names the import that had the same file, and lists have a badge", async () => {
  const first = await uploaded(await send("p1", { sourceDetails: "Monday picks" }));
  const second = await uploaded(await send("p2", { again: first, sourceDetails: "Tuesday picks" }));
  const page = async (path: string) => (await who.get(path)).text();
  const [one, other] = [await page(`/portal/imports/${first}`), await page(`/portal/imports/${second}`)];
  expect(text(one)).not.toContain("same file");
  expect(text(other)).toMatch(/The same file as Monday picks , sent \d+ \w+ 20\d\d, \d\d:\d\d by The operator\./);
  expect(other).toContain(`<a href="/portal/imports/${first}">Monday picks</a>`);
  for (const path of ["/portal/imports", "/portal"]) {
    const list = await page(path);
    const rowOf = (importId: string) => new RegExp(`<tr id="import-${importId}".*?</tr>`, "s").exec(list)?.[0] ?? "";
    expect([text(rowOf(first)), text(rowOf(second))]).toEqual([
      expect.not.stringContaining("Same file"),
      expect.stringContaining("Same file"),
    ]);
  }
});
