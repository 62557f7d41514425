// Rows that are right in form and perhaps wrong in sense are shown before they are recorded.
import { expect, test } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { addMember, formToken, heading, signedIn, type Visitor } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { everyCase } from "../../../support/projects/everyCase.js";
import type { TestOrganisation } from "../../../support/service.js";
import { byScript, type Outcome, outcomeOf, statusPath, useReports } from "./reportStage.js";

const stage = useReports();

const columns = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference";
const yesterday = new Date(Date.now() - 86_400_000).toISOString();
interface Row {
  readonly warehouse?: string;
  readonly code?: string;
  readonly quantity?: number | string;
  readonly at?: string;
  readonly reference: string;
}
const line = ({ warehouse = "SYD1", code = "PICK", quantity = 5, at = yesterday, reference }: Row) =>
  [warehouse, code, quantity, at, "CUST-001", reference].join();
const csv = (rows: readonly Row[], name = "picks.csv") => new File([[columns, ...rows.map(line)].join("\n")], name);
const times = (count: number, mark: string) => Array.from({ length: count }, (_, index): Row => ({ reference: `${mark}${index}` }));

/** An organisation and one of its operators, with the ways in which a file comes. */
async function another(before: readonly Row[] = []) {
  const organisation = await stage.service.organisation();
  const who = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
  const token = await formToken(who);
  let sent = 0;
  const send = async (file: File, act = "") => {
    sent += 1;
    const fields = { token, kind: "recognise", page: `p${sent}` };
    return outcomeOf(await who.upload(`/portal/upload${act}`, fields, file, byScript), who);
  };
  const press = async ({ fileId }: Outcome, more = {}) =>
    outcomeOf(await who.post(`/portal/upload/${fileId}`, { token, do: "upload", ...more }), who);
  const own = { organisation, who, token, send, press };
  if (before.length > 0) await completed(own, (await send(csv(before, "kunde-oktober.csv"))).importId);
  return own;
}

async function completed({ organisation }: { organisation: TestOrganisation; who: Visitor }, importId = "none") {
  let shown: { status?: string; unusual?: unknown; counts?: unknown } = {};
  await until("the import has completed", async () => {
    shown = (await (await organisation.get(`${statusPath.activities}/${importId}`)).json()) as typeof shown;
    return shown.status === "completed";
  });
  return shown;
}
const recorded = async ({ organisation }: { organisation: TestOrganisation }) =>
  (
    await stage.service.pool.query(
      "select from import_queue where organisation_id = $1 union all select from imports where organisation_id = $1",
      [organisation.id],
    )
  ).rowCount;
const text = (html = "") => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
/** By kind: its heading with the count, and the values. */
const groupsIn = (html = "") =>
  (/aria-labelledby="unusual".*?<\/section>/s.exec(html)?.[0] ?? "")
    .split('<div class="problem-group">')
    .slice(1)
    .map((group) => text(/<h3>(.*?)<\/h3>/s.exec(group)?.[1]).trim());
const buttonIn = (html = "") => /<button[^>]*>(Upload[^<]*)<\/button>/.exec(html)?.[1];

const odd: readonly Row[] = [
  { reference: "o1" },
  { code: "PIKC", reference: "o2" },
  { warehouse: "SDY1", reference: "o3" },
  { quantity: 3_000_000, reference: "o4" },
  { at: "2062-10-01T00:00:00Z", reference: "o5" },
  { reference: "twice" },
  { reference: "twice" },
];

test.each(["", "?do=check"])("an odd file is stopped by one page, which says what is odd, before it is billed (%s)", async (act) => {
  const own = await another(times(101, "b"));
  const before = await recorded(own);
  const asked = await own.send(csv(odd, "odd.csv"), act);
  expect(heading(asked.html ?? "")).toBe("odd.csv");
  expect(groupsIn(asked.html)).toEqual([
    "Recorded already, or twice in this file 2 rows",
    "New charge code 1 row",
    "New warehouse code 1 row",
    "Unusual quantity 1 row",
    "Unusual time 1 row",
  ]);
  for (const shown of [
    "6 rows of 7 would be accepted, but may be wrong",
    "did you mean PICK?",
    "did you mean SYD1?",
    "PICK, 3000000",
    "2062",
  ])
    expect(text(asked.html)).toContain(shown);
  expect(buttonIn(asked.html)).toBe("Upload anyway");
  expect(await recorded(own)).toBe(before);
  const { importId } = await own.press(asked);
  expect(await completed(own, importId)).toMatchObject({
    counts: { processed: 7 },
    unusual: {
      count: 6,
      kinds: [{ kind: "newCode", count: 2 }, ...["quantity", "time"].map((kind) => ({ kind, count: 1 })), { kind: "repeated", count: 2 }],
    },
  });
});

test("a file saved anew says how many of its rows are recorded, and by which import", async () => {
  const own = await another(times(4, "r"));
  const asked = await own.send(csv([...times(3, "r"), ...times(2, "new")], "kunde-oktober-2.csv"));
  expect(text(asked.html)).toMatch(/3 of 5 rows are already recorded by kunde-oktober\.csv , sent \d+ \w+ 20\d\d/);
  expect(asked.html).not.toContain("This file was sent before");
  const same = await own.send(csv(times(4, "r"), "kunde-oktober.csv"));
  expect(same.html).toContain("This file was sent before");
  expect(text(same.html)).toContain("4 of 4 rows are already recorded by kunde-oktober.csv");
  expect(buttonIn(same.html)).toBe("Upload again");
});

test("a file of 20,000 rows is judged first; one of 20,001 is recorded at once", async () => {
  const own = await another();
  const large = (rows: number) => csv([{ quantity: -1, reference: "minus" }, ...times(rows - 1, `l${rows}-`)]);
  const asked = await own.send(large(20_000));
  expect([groupsIn(asked.html), buttonIn(asked.html)]).toEqual([["Unusual quantity 1 row"], "Upload anyway"]);
  const { importId } = await own.send(large(20_001));
  if (!everyCase) return expect((await own.organisation.post(`${statusPath.activities}/${importId}/cancel`, {})).status).toBe(200);
  expect(await completed(own, importId)).toMatchObject({ unusual: { count: 1, kinds: [{ kind: "quantity", count: 1 }] } });
  const checked = await own.send(large(20_001), "?do=check");
  expect(groupsIn(checked.html)).toContain("Unusual quantity 1 row");
});

test("without scripts too; what is switched off is not asked about, and shipments never", async () => {
  const own = await another();
  const fields = { token: own.token, kind: "activities", page: "plain" };
  const minus = csv([{ quantity: -1, reference: "a" }]);
  const plain = await outcomeOf(await own.who.upload("/portal/upload", fields, minus), own.who);
  expect(buttonIn(plain.html)).toBe("Upload anyway");
  expect((await stage.send("activities", minus)).importId).toBeDefined(); // an organisation that has switched all kinds off
});

test("after its columns are chosen a file is shown as well, and a change of the kind asks again", async () => {
  const own = await another();
  const theirs = new File([`Site,Work,Qty,Done on\nSYD1,PICK,-4,${yesterday}`], "work.csv");
  const waiting = await own.send(theirs);
  const choice = { "column-0": "warehouseCode", "column-1": "chargeCode", "column-2": "quantity", "column-3": "activityTimestamp" };
  const form = { token: own.token, sent: "yes", ...choice, do: "upload" };
  const asked = await outcomeOf(await own.who.post(`/portal/upload/${waiting.fileId}/columns`, form), own.who);
  expect(groupsIn(asked.html)).toEqual(["Unusual quantity 1 row"]);
  const changed = await own.press(asked, { kind: "shipments" });
  expect(changed.goTo).toBe(`/portal/upload/${asked.fileId}/columns`);
  expect(await (await own.who.get(changed.goTo ?? "")).text()).toContain("(shipments)");
  const back = await own.press(asked, { kind: "activities" });
  expect(back.goTo).toBe(changed.goTo);
  const again = await outcomeOf(await own.who.post(`/portal/upload/${waiting.fileId}/columns`, form), own.who);
  const { importId = "" } = await own.press(again);
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({ columns: { headings: { Qty: "quantity" } } });
});
