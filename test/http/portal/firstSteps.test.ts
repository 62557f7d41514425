// A new organisation's first hour on Overview.
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrationStatements } from "../../../src/adapters/postgres/migrate.js";
import type { Role } from "../../../src/domain/members.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { allProjections } from "../../../src/projections/allProjections.js";
import { rebuild } from "../../../src/projections/rebuild/rebuild.js";
import { activity, type Story, tell } from "../../support/importStory.js";
import { addMember, formToken, heading, signedIn, type Visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

/** An organisation that has nothing but its name. */
async function begin(role: Role = "admin") {
  const { id } = await service.organisation((file) =>
    Object.assign(file, { carriers: [], services: [], zoneMaps: [], rateCards: [], customers: [], customFields: [] }),
  );
  await service.pool.query("update api_keys set revoked_at = now() where organisation_id = $1", [id]);
  const who = await signedIn(service, await addMember(service, id, role));
  return { id, who };
}

const overview = async (who: Visitor) => (await who.get("/portal")).text();
/** The steps with a tick, and those without. */
const steps = (page: string) =>
  [...page.matchAll(/<li( class="done")?><span class="step">([^<]*)/g)].map(([, done, label]) => `${done ? "x" : "-"} ${label}`);

const record = async (story: Story) => {
  const { stream, events } = tell(story);
  await service.eventStore.append(stream, events, noStream);
  await projectLog(service);
};
const file = (name: string) => ({ key: "k", name, format: "csv" as const, size: 1, sha256: "0".repeat(64) });
const example = { kind: "activities", source: "file", file: file("example-activities.csv"), rows: [{ accept: activity() }] } as const;

test("the example catalogue, the example file, a colleague and a key: each is ticked, and the list goes when all are done", async () => {
  const { id, who } = await begin();
  const token = await formToken(who);
  expect(steps(await overview(who))).toEqual([
    "- Customers and prices",
    "- Try the example file",
    "- Invite a colleague",
    "- Create a key",
  ]);

  const loaded = await who.post("/portal/first-steps/catalogue", { token, version: "1" });
  const changes = loaded.headers.get("location") ?? "";
  expect(heading(await (await who.get(changes)).text())).toBe("Change to the example catalogue");
  expect(steps(await overview(who))[0]).toBe("- Customers and prices"); // nothing is applied before Apply
  const draft = new URL(changes, service.url).searchParams.get("draft") ?? "";
  const applied = await who.post("/portal/catalogue/apply", { token, draft, version: "1" });
  expect(applied.headers.get("location")).toBe("/portal");
  expect(steps(await overview(who))[0]).toBe("x Customers and prices");

  const tried = await who.post("/portal/first-steps/example", { token });
  const page = await (await who.get(tried.headers.get("location") ?? "")).text();
  expect(heading(page)).toBe("example-activities.csv");
  expect(page).toContain("Every row would be accepted.");
  expect((await who.post("/portal/first-steps/example", { token })).headers.get("location")).toBe(tried.headers.get("location"));
  await record({ ...example, organisationId: id });
  expect(steps(await overview(who))).toEqual([
    "x Customers and prices",
    "x Try the example file",
    "- Invite a colleague",
    "- Create a key",
  ]);
  await addMember(service, id, "viewer");
  await who.post("/portal/settings/keys/create", { token, name: "first", read: "on", until: "" });
  await service.pool.query("update api_keys set revoked_at = null where organisation_id = $1", [id]);
  expect(await overview(who)).not.toContain("Get started");
});

test("put away by one person it is gone for all, also after a rebuild of the tables", async () => {
  const { id, who } = await begin();
  const another = await signedIn(service, await addMember(service, id, "operator"));
  expect(steps(await overview(another))).toHaveLength(4);
  expect(await overview(another)).not.toContain("Load example catalogue"); // an admin's
  await another.post("/portal/first-steps", { token: await formToken(another) });
  await another.post("/portal/first-steps", { token: await formToken(another) });
  expect(await overview(who)).not.toContain("Get started");
  await projectLog(service);
  const { comparisons } = await rebuild({
    ...{ pool: service.pool, eventStore: service.eventStore, logger: pino({ level: "silent" }), signal: new AbortController().signal },
    ...{ migrations: migrationStatements(), projections: allProjections },
  });
  expect(comparisons.length).toBeGreaterThan(0);
  expect(await overview(who)).not.toContain("Get started");
});

test("an organisation that already works is not told how to begin, and viewers have nothing to do", async () => {
  const { id, who } = await begin();
  await record({ ...example, organisationId: id, end: "failed" });
  expect(steps(await overview(who))).toHaveLength(4);
  await record({ ...example, organisationId: id, file: file("oktober.csv") });
  expect(await overview(who)).not.toContain("Get started");
  expect(await overview((await begin("viewer")).who)).not.toContain("Get started");
});

test("the example is added to what an organisation has, and takes nothing away", async () => {
  const { id } = await service.organisation();
  const who = await signedIn(service, await addMember(service, id, "admin"));
  const answer = await who.post("/portal/first-steps/catalogue", { token: await formToken(who), version: "1" });
  const page = await (await who.get(answer.headers.get("location") ?? "")).text();
  expect(page).toMatch(/\d+ added\. Nothing has been applied yet/);
});

test("Quotes says what is missing for a price, and leads there", async () => {
  const text = async (who: Visitor) => (await (await who.get("/portal/quotes")).text()).replaceAll(/\s+/g, " ");
  const { who } = await begin();
  const page = await text(who);
  expect(page).toContain("There is no customer and no rate card yet.");
  for (const list of ["customers", "rate-cards"]) expect(page).toContain(`href="/portal/catalogue/${list}/new"`);
  const { id } = await service.organisation((file) => Object.assign(file, { rateCards: [], customers: [{ id: "A", name: "A" }] }));
  const operator = await text(await signedIn(service, await addMember(service, id, "operator")));
  expect(operator).toContain("There is no rate card yet. An admin can add what is missing, in the catalogue.");
  const full = await service.organisation();
  expect(await text(await signedIn(service, await addMember(service, full.id, "admin")))).not.toContain("A quote needs");
});
