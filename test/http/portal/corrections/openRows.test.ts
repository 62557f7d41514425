// What counts as open is the same wherever it is shown: tabs, groups and rows of the page, Overview, the import's page and the API.
import { expect, test } from "vitest";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { base, json, line, rowsOf, states, uploadedShipments } from "../../api/corrections/stage.js";
import { useRejectedRows } from "./stage.js";

const stage = useRejectedRows();

test("rows of shipments that a later import, or a later element of their push, has written are open nowhere", async () => {
  const organisation = await stage.service.organisation();
  const who = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
  const textOf = async (path: string) => (await (await who.get(path)).text()).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const shown = async (importId: string) => {
    const page = await textOf("/portal/corrections");
    const ofImport = await textOf(`/portal/corrections?import=${importId}`);
    const rows = (await (await who.get(`/portal/corrections/rows?kind=shipments&import=${importId}`)).json()) as { rows: unknown[] };
    return {
      tabs: [page, ofImport].map((each) => / Open ([\d,]+\+?) /.exec(each)?.[1]),
      groups: [...page.matchAll(/All reasons \d+ Customer not found (\d+) /g)].map((found) => found[1]),
      isEmpty: page.includes("No rejected rows to correct"),
      rows: rows.rows.length,
      overview: /(\d+) rejected rows? to correct/.exec(await textOf("/portal"))?.[1],
      isOffered: (await textOf(`/portal/imports/${importId}`)).includes("Correct rejected rows"),
      api: (await rowsOf(organisation, "shipments", importId, "?state=open")).length,
    };
  };
  const stateIs = (importId: string, row: number, state: string) =>
    until(`row ${row} is ${state}`, async () => (await states(organisation, "shipments", importId))[row] === state);

  const element = (customerId: string) => ({ shipmentId: "S0", ...line, customerId, items: [{ itemType: line.itemType }] });
  const { itemType: _, ...rejected } = element("CUST-999");
  const { itemType: __, ...accepted } = element("");
  const { importId: pushed } = await json(await organisation.post(base.shipments, { shipments: [rejected, accepted] }), 202);
  await stateIs(String(pushed), 1, "superseded");
  expect(await shown(String(pushed))).toMatchObject({ tabs: ["0", "0"], isEmpty: true, rows: 0, overview: undefined, isOffered: false });

  const importId = await uploadedShipments(organisation, [
    ["S1", "CUST-999"],
    ["S2", "CUST-999"],
    ["S3", "CUST-998"],
  ]);
  await stateIs(importId, 4, "open");
  const three = { tabs: ["3", "3"], groups: ["3"], isEmpty: false, rows: 3, overview: "3", isOffered: true, api: 3 };
  expect(await shown(importId)).toEqual(three);

  await uploadedShipments(organisation, [["S1", ""]]);
  await stateIs(importId, 2, "superseded");
  const two = { tabs: ["2", "2"], groups: ["2"], isEmpty: false, rows: 2, overview: "2", isOffered: true, api: 2 };
  expect(await shown(importId)).toEqual(two);

  await uploadedShipments(organisation, [
    ["S2", ""],
    ["S3", ""],
  ]);
  await stateIs(importId, 4, "superseded");
  const none = { tabs: ["0", "0"], groups: [], isEmpty: true, rows: 0, overview: undefined, isOffered: false, api: 0 };
  expect(await shown(importId)).toEqual(none);
});

test("the tabs of one import count the rows of that import", async () => {
  const [importId] = [await stage.rejected(2), await stage.rejected(3)];
  const page = await stage.who.get(`/portal/corrections?import=${importId}`);
  expect(await page.text()).toMatch(/Open <span class="amount">2<\/span>/);
});
