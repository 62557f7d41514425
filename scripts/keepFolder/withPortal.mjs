// What versions with the portal write besides: members, corrections, dismissed rows, webhooks.
import { call, untilEnded } from "../../bench/service.mjs";

const password = "seven lazy harbours";

/** `importPath` is that of an import with rejected activities. */
export async function workWithPortal(service, importPath) {
  await service.waybill("webhooks", "add", "--org", "demo", "--url", "https://webhooks.invalid/waybill");
  const { items } = await call(service, `${importPath}/errors`);
  const [first, second, third] = items.map(({ row }) => row);
  await correct(service, importPath, [{ row: first, values: { customerId: "CUST-001", quantity: "7" } }]);
  await correct(service, importPath, [{ row: second, values: { customerId: "CUST-998" } }]); // still wrong
  const link = await service.waybill(..."members invite --org demo --email ops@example.com --role operator --name Ops".split(" "));
  const visit = await join(service, new URL(link).pathname);
  const importId = importPath.split("/").at(-1);
  await visit("/portal/corrections/rows/dismiss", { importId, rows: [third], note: "Billed by hand" });
  await service.waybill(..."members invite --org demo --email gone@example.com --role viewer --name Gone".split(" "));
  await service.waybill(..."members remove gone@example.com --org demo".split(" "));
}

async function correct(service, importPath, rows) {
  const headers = { "content-type": "application/json" };
  const { statusUrl } = await call(service, `${importPath}/corrections`, { method: "POST", headers, body: JSON.stringify({ rows }) });
  await untilEnded(service, statusUrl);
}

/** Answers a function that posts JSON as the pages' scripts do. */
async function join(service, path) {
  const { origin } = new URL(service.url);
  const form = { "content-type": "application/x-www-form-urlencoded", origin };
  const joined = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: form,
    body: new URLSearchParams({ password }),
    redirect: "manual",
  });
  const cookie = joined.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const page = await (await fetch(`${service.url}/portal/corrections`, { headers: { cookie, accept: "text/html" } })).text();
  const token = /name="form-token" content="([^"]+)"/.exec(page)?.[1];
  if (!token) throw new Error("the member could not sign in");
  return async (address, body) => {
    const headers = { cookie, origin, accept: "application/json", "content-type": "application/json", "x-form-token": token };
    const response = await fetch(`${service.url}${address}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
  };
}
