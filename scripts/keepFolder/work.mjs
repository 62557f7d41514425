// What is done with a version, so that its folder has something of everything.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { call, push, untilEnded } from "../../bench/service.mjs";
import { workWithPortal } from "./withPortal.mjs";

const secondOrganisation = {
  organisation: { id: "second", name: "Second", cubicFactor: 250, timezone: "Australia/Perth" },
  ...{ customFields: [], carriers: [], services: [], zoneMaps: [], rateCards: [] },
};

/** Something of everything: both kinds from files and pushes, replaced shipments, rejected rows, a failed and a cancelled import, quotes, keys, two catalogues. */
export async function work(service, folder) {
  const imported = async (kind, name, lines) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join("\n"));
    const { statusUrl } = await push(service, `/v1/org/${kind}`, path);
    await untilEnded(service, statusUrl).catch(() => undefined); // one of them fails
    return statusUrl;
  };
  const sent = (path, body) =>
    call(service, path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const picks = await imported("fulfilment", "picks.csv", activityLines(60));
  await imported("shipments", "orders.csv", shipmentLines(40, "Pallet"));
  await imported("shipments", "orders-again.csv", shipmentLines(8, "Carton"));
  await imported("fulfilment", "empty.csv", activityLines(0));
  const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 2.5, activityTimestamp: "2026-04-01T00:00:00+10:00" };
  const activities = ["CUST-001", "CUST-999"].map((customerId) => ({ ...activity, customerId, reference: "Café" }));
  const pushed = await sent("/v1/org/fulfilment/activities", { sourceDetails: "Till", activities });
  await untilEnded(service, pushed.statusUrl);
  const ends = { origin: { postalCode: "2000" }, destination: { postalCode: "3000" } };
  const items = [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }];
  const quoted = await sent("/v1/org/quote/getQuote", { general: { customerIds: ["CUST-001"] }, ...ends, items });
  const spare = await service.waybill("keys", "create", "--org", "demo", "--name", "spare");
  for (const customers of [[], [{ id: "CUST-1", name: "Only one", carrierIds: [], rateCardIds: [] }]]) {
    const file = join(folder, "second.json");
    writeFileSync(file, JSON.stringify({ ...secondOrganisation, customers }));
    await service.waybill("org", "apply", file);
  }
  const workers = service.groups.worker();
  for (const pid of workers) process.kill(pid, "SIGSTOP");
  try {
    const path = join(folder, "late.csv");
    writeFileSync(path, activityLines(3).join("\n"));
    await service.waybill("imports", "cancel", (await push(service, "/v1/org/fulfilment", path)).importId);
  } finally {
    for (const pid of workers) process.kill(pid, "SIGCONT");
  }
  await imported("fulfilment", "after.csv", activityLines(5)); // once it has ended, the tables know of the key
  await service.waybill("keys", "revoke", "--org", "demo", /wb_live_\w{4}/.exec(spare)[0]);
  const { paths } = await call(service, "/openapi.json");
  if (Object.keys(paths).some((path) => path.endsWith("/corrections"))) await workWithPortal(service, new URL(picks, service.url).pathname);
  await imported("shipments", "after-all.csv", shipmentLines(2, "Crate"));
  return quoted.results[0].quoteId;
}

function activityLines(count) {
  const lines = ["warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference,status"];
  for (let n = 0; n < count; n += 1) {
    const [quantity, customer] = [n % 10 === 9 ? 0 : n + 1, n % 17 === 3 ? "CUST-999" : "CUST-001"];
    lines.push(`SYD${n % 3},${n % 2 ? "PICK" : "PACK"},${quantity},2026-03-0${(n % 9) + 1}T09:30:00Z,${customer},R-${n},done`);
  }
  return lines;
}

function shipmentLines(count, itemType) {
  const lines = [
    "shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity,itemWeight",
  ];
  for (let n = 0; n < count; n += 1) {
    const [customer, item] = [n === 20 ? "CUST-999" : "CUST-001", n === 8 ? "" : itemType];
    lines.push(`S-${Math.floor(n / 2)},${customer},2000,Sydney,3000,Melbourne,${item},${(n % 3) + 1},12.5`);
  }
  return lines;
}
