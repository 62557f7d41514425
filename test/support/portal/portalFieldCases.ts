// Sends another organisation's ids in the fields of every form. The forms are read from the portal's pages, so a new page's forms are tested too.
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { streamPrefix } from "../../../src/events/streams.js";
import { answers, forms } from "../../../src/http/portal/pages/list.js";
import { sealValue } from "../../../src/http/portal/sessions/cookies.js";
import { everyCase } from "../projects/everyCase.js";
import { openablePages } from "./openablePages.js";
import { formToken, sharedSession, type Visitor, visitor, withoutToken } from "./portal.js";
import { ownOf } from "./portalCatalogue.js";
import { retailOf } from "./portalImports.js";
import { addressOf } from "./portalSecurityCases.js";
import type { PortalStage } from "./portalStage.js";
import { formsIn, type RenderedForm } from "./renderedForms.js";

type Fields = Readonly<Record<string, string>>;

/** Fields with ids of the stage, for forms that no page of `openablePages` shows, or whose ids a script or a person fills in. */
const examples: Readonly<Record<string, (stage: PortalStage) => Fields>> = {
  "/portal/sign-in/organisation": ({ service, organisationId, people }) => {
    const member = { memberId: people.admin.memberId, organisationId, credentialsRevision: "1" };
    const value = { way: "password", browserSha256: "x", members: [member] };
    return {
      organisation: organisationId,
      choice: sealValue("a secret of somebody else, 32 bytes", "choice", value, new Date(Date.now() + 60_000)),
      next: service.url,
    };
  },
  "/portal/first-steps": () => ({}),
  "/portal/first-steps/catalogue": () => ({ version: "1" }),
  "/portal/first-steps/example": () => ({}),
  "/portal/activities/{importId}/{row}": ({ organisationId }) => ({
    key: randomUUID(),
    reason: "x",
    "values.customerId": retailOf(organisationId),
  }),
  "/portal/catalogue/services/{serviceId}/change": ({ organisationId }) => ({
    ...{ version: "1", name: "X", type: "A", class: "B", carrierId: ownOf(organisationId) },
  }),
  "/portal/catalogue/carriers/{carrierId}/remove": () => ({ version: "1" }),
  "/portal/catalogue/services/{serviceId}/remove": () => ({ version: "1" }),
  "/portal/catalogue/zone-maps/{zoneMapId}/remove": () => ({ version: "1" }),
  "/portal/catalogue/apply": () => ({ draft: randomUUID(), version: "1" }),
  "/portal/corrections/judge-again": () => ({ key: randomUUID() }),
  "/portal/corrections/dismiss": ({ importId }) => ({ rows: `${importId}:3`, note: "x", back: "/portal/corrections" }),
  "/portal/corrections/reopen": ({ importId }) => ({ rows: `${importId}:3`, back: "/portal/corrections" }),
};

/** Valid JSON bodies as the pages' scripts send them, with ids of the stage. */
const exampleBodies: Readonly<Record<string, (stage: PortalStage) => unknown>> = {
  "/portal/corrections/judge": ({ importId }) => ({ importId, rows: [{ row: 3, values: { customerId: "CUST-001" } }] }),
  "/portal/corrections/states": ({ importId }) => ({ rows: [{ importId, row: 3 }] }),
  "/portal/corrections/submit": ({ importId }) => ({ importId, key: randomUUID(), rows: [{ row: 3, values: {} }] }),
  "/portal/corrections/rows/dismiss": ({ importId }) => ({ importId, rows: [3], note: "x" }),
  "/portal/corrections/rows/reopen": ({ importId }) => ({ importId, rows: [3] }),
};

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const namesAnId = /id$|^(organisation|member|key|import|endpoint|webhook|shipment|customer)s?$/i;

/** The fields that name something of an organisation, judged by the field's name or its value. */
export const idFields = (fields: Fields, { organisationId }: Pick<PortalStage, "organisationId">): string[] =>
  Object.entries(fields)
    .filter(
      ([name, value]) => value !== "" && name !== "token" && (uuid.test(value) || value.includes(organisationId) || namesAnId.test(name)),
    )
    .map(([name]) => name);

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** Every form of the `openablePages`, as a visitor with the page's role gets it. */
async function rendered(stage: PortalStage): Promise<RenderedForm[]> {
  const found: RenderedForm[] = [];
  for (const { as, address } of openablePages) {
    const who = as ? await sharedSession(stage.service, stage.people[as]) : visitor(stage.service.url);
    found.push(...formsIn(await (await who.get(address(stage))).text()));
  }
  return found;
}

/** Everything recorded of an organisation: its rows in the tables that name it, and the number of its events. */
async function everythingOf({ service, organisationId }: PortalStage): Promise<unknown> {
  const { rows: tables } = await service.pool.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'organisation_id' order by 1",
  );
  const kept: Record<string, unknown> = {};
  for (const { name } of tables) {
    const { rows } = await service.pool.query(`select each::text as row from "${name}" as each where organisation_id = $1 order by 1`, [
      organisationId,
    ]);
    kept[name] = rows;
  }
  let events = 0;
  await service.eventStore.replay({ prefixes: Object.values(streamPrefix) }, async (batch) => {
    events += batch.events.filter(({ metadata }) => metadata.organisation === organisationId).length;
  });
  return { ...kept, events };
}

/** The text without ids, which differ between any two answers, and without the values that were sent. */
const neutral = (text: string, fields: Fields): string =>
  Object.values(fields)
    .filter((value) => value.length > 3)
    .reduce((left, value) => left.replaceAll(value, ""), withoutToken(text))
    .replaceAll(new RegExp(uuid, "gi"), "")
    .replaceAll(/(name="page" value=")[^"]*/g, "$1"); // the upload page's own, another one each time

async function send(who: Visitor, method: "get" | "post", address: string, fields: Fields): Promise<[number, string, string]> {
  const query = new URLSearchParams(fields).toString();
  const response = method === "get" ? await who.get(`${address}?${query}`) : await who.post(address, { ...fields });
  return [response.status, neutral(response.headers.get("location") ?? "", fields), neutral(await response.text(), fields)];
}

async function sendJson(who: Visitor, url: string, body: string): Promise<Response> {
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { origin } = new URL(url);
  const headers = { cookie, origin, "x-form-token": await formToken(who), "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body });
}

function madeUp(fields: Fields, ids: readonly string[]): Fields {
  const invented = (value: string) =>
    uuid.test(value) || value.startsWith("{")
      ? value.replaceAll(new RegExp(uuid, "gi"), () => randomUUID())
      : `org-${randomUUID().slice(0, 8)}`;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, ids.includes(name) ? invented(value) : value]));
}

/** `other` is the stage of another organisation, whose admin sends the ids of `stage`. */
export function portalFieldCases(stage: () => PortalStage, other: () => PortalStage): void {
  let found: Promise<RenderedForm[]> | undefined;
  const all = () => (found ??= rendered(stage()));
  let before: unknown; // read once, after the pages: it takes longer than a request
  const noteEverything = async () => (before ??= await everythingOf(stage()));
  afterAll(async () => {
    if (before !== undefined) expect(await everythingOf(stage()), "one of the forms changed something").toEqual(before);
  });

  async function compare(method: "get" | "post", address: string, fields: Fields, signedOut: boolean): Promise<void> {
    const ids = idFields(fields, stage());
    if (ids.length === 0) return;
    const who = signedOut ? visitor(stage().service.url) : await sharedSession(stage().service, other().people.admin);
    const token = signedOut ? "" : await formToken(who);
    await noteEverything();
    const theirs = await send(who, method, address, { ...fields, token });
    const invented = await send(who, method, address, { ...madeUp(fields, ids), token });
    expect(theirs, `${ids.join(", ")} of ${address}`).toEqual(invented);
    expect(theirs[0]).toBeLessThan(500);
    if (signedOut) expect(who.cookies.has("waybill")).toBe(false);
  }

  describe.each(forms.map((form) => [form.path, form] as const))("POST %s", (_, { path, access }) => {
    test("answers another organisation's ids in its fields as unknown ids, and changes nothing", async () => {
      const shown = (await all()).filter(({ method, action }) => method === "post" && patternOf(path).test(action));
      const given = examples[path] ? [examples[path](stage())] : shown.map(({ fields }) => fields);
      expect(given.length, `no page shows this form: give an example of its fields in portalFieldCases.ts`).toBeGreaterThan(0);
      for (const fields of given.slice(0, everyCase ? 3 : 1)) await compare("post", addressOf(path, other()), fields, access === "anyone");
    });
  });

  const withBodies = answers.filter(({ maxBytes }) => maxBytes !== undefined);
  for (const { path } of withBodies) {
    test(`POST ${path} answers another organisation's ids in its body as unknown ids, and changes nothing`, async () => {
      const example = exampleBodies[path];
      expect(example, "give an example of its body in portalFieldCases.ts").toBeDefined();
      const theirs = JSON.stringify(example?.(stage()));
      const invented = madeUp({ body: theirs }, ["body"])["body"]?.replaceAll(stage().organisationId, `org-${randomUUID().slice(0, 8)}`);
      const who = await sharedSession(stage().service, other().people.admin);
      await noteEverything();
      const answered = [theirs, invented ?? ""].map(async (body) => {
        const response = await sendJson(who, `${stage().service.url}${addressOf(path, other())}`, body);
        return [response.status, neutral(await response.text(), {})];
      });
      const [first, second] = await Promise.all(answered);
      expect(first).toEqual(second);
      expect(first?.[0]).toBeLessThan(500);
    });
  }

  test("the GET forms of all pages answer another organisation's ids as unknown ids, and change nothing", async () => {
    const asking = (await all()).filter(({ method, fields }) => method === "get" && idFields(fields, stage()).length > 0);
    const each = new Map(asking.map((form) => [`${form.action} ${Object.keys(form.fields).sort()}`, form]));
    expect(each.size).toBeGreaterThan(0);
    for (const { action, fields } of each.values()) await compare("get", action, fields, false);
  });
}
