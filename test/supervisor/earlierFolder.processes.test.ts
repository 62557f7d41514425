// Data folders of earlier versions. On each the product starts and answers as that version did, the audit finds nothing, and a rebuild is identical.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { allProjections } from "../../src/projections/allProjections.js";
import { useCommandLine } from "../support/commandLine.js";
import { formToken, password, visitor } from "../support/portal/portal.js";
import { createMachine, type Machine, type Product, until } from "../support/processes.js";
import { everyCase } from "../support/projects/everyCase.js";
import { type KeptAnswers, layKeptFolder } from "./keptFolder.js";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const commandLine = useCommandLine();

/** The project `long` starts on all folders, `processes` only on that of the earliest version, which needs the most migrations. */
const folders = [
  { name: "beforeThePortal", answers: 19 },
  { name: "withThePortal", answers: 23 },
].slice(0, everyCase ? undefined : 1);

describe.each(folders)("a folder of $name", ({ name, answers }) => {
  let machine: Machine;
  let product: Product;
  let kept: KeptAnswers;
  beforeAll(async () => {
    machine = await createMachine();
    kept = await layKeptFolder(name, machine.dataDir);
    product = await machine.start();
  });
  afterAll(() => machine?.clear());

  const ask = async (path: string) => {
    const answer = await fetch(`${machine.url}${path}`, { headers: { "x-api-key": kept.key } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const command = (...args: string[]) => commandLine(args, machine.environment);

  test("its API key works, and every answer has what that version answered", async () => {
    expect(Object.keys(kept.said)).toHaveLength(answers);
    for (const [path, { errorReportUrl, ...said }] of Object.entries(kept.said)) {
      const { status, body } = await ask(path);
      expect({ path, status, body }).toMatchObject({ path, status: 200, body: said });
      // The link is signed anew for each answer. The file behind it is still there.
      expect(typeof body["errorReportUrl"]).toBe(typeof errorReportUrl);
      if (errorReportUrl) expect((await fetch(String(body["errorReportUrl"]))).status).toBe(200);
    }
  });

  test("the tables that later versions added are filled too: versions of shipments, and totals", async () => {
    const found = await command("audit", "shipment", "S-0", "--org", "demo", "--json");
    expect(JSON.parse(found.stdout)).toHaveLength(3);
    const totals = await ask("/v1/org/ledger/activities/totals?from=2026-01-01&to=2026-12-31");
    const rows = (totals.body["items"] as { rows: number }[]).reduce((sum, each) => sum + each.rows, 0);
    const listed = await ask("/v1/org/ledger/activities?limit=500");
    expect(rows).toBe((listed.body["items"] as unknown[]).length);
  });

  test("the audit finds no difference, and all tables come out the same when they are rebuilt", async () => {
    await until("the projector has filled the new tables", async () => {
      const { code, stdout } = await command("audit", "verify", "--json");
      return code === 0 && stdout.length > 0;
    });
    const { code, stdout } = await command("projections", "rebuild", "--json");
    expect(code).toBe(0);
    const { projections } = JSON.parse(stdout) as { projections: { projection: string; verdict: string }[] };
    expect(projections.map(({ verdict }) => verdict)).toEqual(allProjections.map(() => "identical"));
  });

  test("a shipment of that version can be reversed, and its version before shows again", async () => {
    const found = JSON.parse((await command("audit", "shipment", "S-0", "--org", "demo", "--json")).stdout) as { importId: string }[];
    const [before, last] = found.slice(-2).map(({ importId }) => importId);
    const importOf = async () => (await ask("/v1/org/ledger/shipments/S-0")).body["importId"];
    expect(await importOf()).toBe(last);
    const body = JSON.stringify({ shipmentIds: ["S-0"], reason: "sent twice" });
    const headers = { "x-api-key": kept.key, "content-type": "application/json" };
    const reversed = await fetch(`${machine.url}/v1/org/shipments/imports/${last}/reversals`, { method: "POST", headers, body });
    expect([reversed.status, await reversed.json()]).toMatchObject([200, { reversed: 1, superseded: 0 }]);
    await until("the version before is shown", async () => (await importOf()) === before);
    await until("the audit finds nothing", async () => (await command("audit", "verify", "--json")).code === 0);
  });

  if (name === "withThePortal")
    test("a member of that version signs in, takes another name, changes the password and signs out everywhere", async () => {
      const [email, newPassword] = ["ops@example.com", "nine quiet warehouses"];
      const who = visitor(machine.url);
      expect((await who.post("/portal/sign-in", { email, password })).status).toBe(303);
      const send = async (path: string, fields: Record<string, string>) => {
        const response = await who.post(`/portal/account${path}`, { token: await formToken(who), ...fields });
        return [response.status, response.headers.get("location")];
      };
      expect(await send("/name", { name: "Olga Peters" })).toEqual([303, "/portal/account"]);
      expect(await send("/password", { currentPassword: password, password: newPassword })).toEqual([303, "/portal/account"]);
      const page = await (await who.get("/portal/account")).text();
      expect(page).toContain("Olga Peters");
      expect(page).toContain("Password changed.");
      expect(await send("/sign-out-everywhere", {})).toEqual([303, "/portal/sign-in"]);
      expect((await who.post("/portal/sign-in", { email, password: newPassword })).status).toBe(303);
    });

  test("a new push is imported, and is still there after the service has stopped and started again", async () => {
    const body = JSON.stringify({
      activities: [
        { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-05-01T00:00:00Z", customerId: "CUST-001" },
      ],
    });
    const headers = { "x-api-key": kept.key, "content-type": "application/json" };
    const pushed = await fetch(`${machine.url}/v1/org/fulfilment/activities`, { method: "POST", headers, body });
    const { statusUrl } = (await pushed.json()) as { statusUrl: string };
    await until("the push is imported", async () => (await ask(statusUrl)).body["status"] === "completed");
    product.signal("SIGTERM");
    expect(await product.exited).toBe(0);
    product = await machine.start();
    expect((await ask(statusUrl)).body).toMatchObject({ status: "completed", counts: { received: 1, processed: 1, failed: 0 } });
  });
});
