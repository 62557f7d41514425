// A file that was sent before: the portal says which import has it, and asks before it uploads it again.
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { addMember, formToken, heading, signedIn, type Visitor } from "../../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";
import { byScript, nothingUnusual, type Outcome, outcomeOf } from "./reportStage.js";

let service: TestService;
let organisation: TestOrganisation;
let who: Visitor;
let token: string;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());
beforeEach(async () => {
  organisation = await service.organisation(nothingUnusual);
  who = await signedIn(service, await addMember(service, organisation.id, "operator"));
  token = await formToken(who);
});

const header = "warehouseCode,chargeCode,quantity,activityTimestamp";
const picks = (quantity = 1) => new File([`${header}\nW1,PICK,${quantity},2026-03-01T00:00:00Z\n`], "picks.csv");
const fields = (page: string, more = {}) => ({ kind: "activities", page, ...more });
const send = async (page: string, more = {}, file = picks()) =>
  outcomeOf(await who.upload("/portal/upload", { token, ...fields(page, more) }, file, byScript), who);
/** Presses the button on the page of a draft. */
const press = async ({ fileId }: Outcome, again = "") =>
  outcomeOf(await who.post(`/portal/upload/${fileId}`, { token, do: "upload", again }), who);
const uploaded = ({ importId = "" }: Outcome) => {
  expect(importId).not.toBe("");
  return importId;
};
const text = (markup = "") => markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const named = ({ html = "" }: Outcome) => [...html.matchAll(/name="again" value="([^"]*)"/g)].map(([, importId]) => importId);
const sameFileAs = async (importId: string) => (await readImportRequest(service.eventStore, importId))?.sameFileAs;
const recorded = async () => (await service.pool.query("select from import_queue where organisation_id = $1", [organisation.id])).rowCount;

describe("an upload of a file that was sent before", () => {
  test("asks, and says which import it is, when it was pushed and by whom; nothing is recorded", async () => {
    const first = uploaded(await send("p1", { sourceDetails: "Monday picks" }));
    const asked = await send("p2");
    expect(text(asked.html)).toMatch(/It is the same file as Monday picks , sent \d+ \w+ 20\d\d, \d\d:\d\d by The operator\./);
    expect(text(asked.html)).toContain("Nothing has been recorded yet.");
    expect(asked.html).toContain(`href="/portal/imports/${first}"`);
    expect(named(asked)).toEqual([first]);
    expect(asked.html).toContain(">Upload again</button>");
    expect(await recorded()).toBe(1);
    expect(await readdir(service.deps.tempDir)).toEqual([]);
  });

  test("goes in when the person says so, once, however often and from whichever page the form is sent", async () => {
    const first = uploaded(await send("p1"));
    const asked = await send("p2", { sourceDetails: "Tuesday" });
    expect(named(asked)).toEqual([first]);
    expect((await press(asked)).fileId).toBe(asked.fileId); // without saying so
    const [second, twice] = (await Promise.all([press(asked, first), press(asked, first)])).map(uploaded);
    expect(twice).toBe(second);
    expect(await sameFileAs(second ?? "")).toBe(first);
    expect(uploaded(await send("p2", { sourceDetails: "Tuesday" }))).toBe(second); // the page is gone back to
    expect(uploaded(await send("p1"))).toBe(first);
    expect(named(await send("p3"))).toEqual([second]);
    expect(await recorded()).toBe(2);
  });

  test("asks once more when another import has the file by then", async () => {
    const first = uploaded(await send("p1"));
    const asked = await send("p2");
    const pushed = await organisation.upload("/v1/org/fulfilment/activities/file", picks());
    const { importId: second = "" } = (await pushed.json()) as { importId?: string };
    const again = await press(asked, first);
    expect(named(again)).toEqual([second]);
    expect(text(again.html)).toMatch(/by key test \(wb_live_\w+\.\.\.\)/);
    expect(await sameFileAs(uploaded(await press(asked, second)))).toBe(second);
  });

  test("says what follows from it, for each kind", async () => {
    uploaded(await send("p1"));
    expect(text((await send("p2")).html)).toContain("count twice in the totals to bill");
    const line =
      "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType\nS1,2000,Sydney,3000,Melbourne,Carton\n";
    const orders = () => new File([line], "orders.csv");
    uploaded(await send("p3", { kind: "shipments" }, orders()));
    expect(text((await send("p4", { kind: "shipments" }, orders())).html)).toContain("replace any later versions");
  });

  test("is not asked about where the other import was cancelled, and never for another file, organisation or kind", async () => {
    const first = uploaded(await send("p1"));
    uploaded(await send("p2", {}, picks(2)));
    expect((await organisation.post(`/v1/org/fulfilment/imports/${first}/cancel`, {})).status).toBe(200);
    uploaded(await send("p3"));
    const other = await service.organisation(nothingUnusual);
    const stranger = await signedIn(service, await addMember(service, other.id, "operator"));
    const theirs = { token: await formToken(stranger), ...fields("p1") };
    uploaded(await outcomeOf(await stranger.upload("/portal/upload", theirs, picks(), byScript), stranger));
  });

  test.each(["", "?do=check"])("without scripts leads to the same page (%s)", async (act) => {
    const first = uploaded(await send("p1"));
    const plain = await who.upload(`/portal/upload${act}`, { token, ...fields("p2", { sourceDetails: "Tuesday" }) }, picks());
    const asked = await outcomeOf(plain, who);
    expect([plain.status, heading(asked.html ?? ""), named(asked)]).toEqual([303, "picks.csv", [first]]);
    expect(text(asked.html)).toContain("Tuesday");
    expect(asked.html).toContain(">Upload again</button>");
    expect(await recorded()).toBe(1);
    const again = uploaded(await press(asked, first));
    expect(uploaded(await press(asked, first))).toBe(again);
    expect(await recorded()).toBe(2);
    const another = await who.upload("/portal/upload?do=check", { token, ...fields("p3") }, picks(3));
    expect((await outcomeOf(another, who)).html).not.toContain("the same file");
  });
});

test("an import's page names the import that had the same file, and lists have a badge", async () => {
  const first = uploaded(await send("p1", { sourceDetails: "Monday picks" }));
  const second = uploaded(await press(await send("p2", { sourceDetails: "Tuesday picks" }), first));
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
