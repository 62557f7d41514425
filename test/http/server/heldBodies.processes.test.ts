// A body may take minutes to arrive. Who is revoked or removed meanwhile gets nothing recorded, at any route of the API and any form of the portal.
import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { changeRole, removeMember } from "../../../src/commands/members/manageMembers.js";
import { createKey, revokeKey } from "../../../src/commands/organisations/keys.js";
import { routes } from "../../../src/http/api/routes/list.js";
import { answers, forms } from "../../../src/http/portal/pages/list.js";
import { eventually } from "../../support/eventually.js";
import { addMember, formToken, signedIn, type TestMember } from "../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const origin = { by: { kind: "cli", id: "test" } as const, correlationId: "test" };
let service: TestService;
let organisation: TestOrganisation;
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  await addMember(service, organisation.id, "admin"); // the others can then be removed
});
afterAll(() => service?.close());

/** Sends the request up to half of its body, waits for `meanwhile`, and sends the rest. */
async function held(path: string, headers: Record<string, string>, body: string, meanwhile: () => Promise<void>) {
  const half = Math.floor(body.length / 2);
  const call = request(`${service.url}${path}`, { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) } });
  const answered = new Promise<{ status: number; text: string }>((resolve, reject) => {
    call.once("response", (response) => void text(response).then((said) => resolve({ status: response.statusCode ?? 0, text: said })));
    call.once("error", reject);
  });
  try {
    call.write(body.slice(0, half));
    await meanwhile();
    call.end(body.slice(half));
    return await answered;
  } finally {
    call.destroy();
  }
}

const boundary = "the-end-of-a-part";
const multipart = `multipart/form-data; boundary=${boundary}`;
const field = (name: string, value: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${content}\r\n--${boundary}--\r\n`;
const activities = "warehouseCode,chargeCode,quantity,activityTimestamp\r\nSYD,PICK,3,2026-03-01T00:00:00Z\r\n";
const withIds = (path: string) => path.replaceAll(/\{\w+\}/g, () => randomUUID());

const recorded = async () => (await service.pool.query("select from import_queue")).rowCount;

describe("a key that is revoked while a body arrives", () => {
  const changing = routes.filter(({ method, request: { body, multipart: form } }) => method === "POST" && (body ?? form));

  async function revokedMeanwhile(path: string, type: string, body: string) {
    const deps = service.portal.organisations;
    const { key, keyId, prefix } = await createKey(deps, { organisationId: organisation.id, name: "held" }, origin);
    const admitted = async () => ((await service.pool.query("select from rate_windows where key_id = $1", [keyId])).rowCount ?? 0) > 0;
    return held(path, { "x-api-key": key, "content-type": type }, body, async () => {
      await eventually(admitted, "the key to be looked up", 20_000);
      await revokeKey(deps, { organisationId: organisation.id, prefix }, origin);
    });
  }

  test.each(changing.map((route) => [route.path, route] as const))("is 401 at %s", async (path, route) => {
    const before = await recorded();
    const form = field("sourceDetails", "held") + file(activities);
    const [type, body] = route.request.multipart ? [multipart, form] : ["application/json", "{                }"];
    const { status, text: said } = await revokedMeanwhile(withIds(path), type, body);
    expect([status, JSON.parse(said)]).toEqual([401, { message: expect.stringContaining("not been revoked") }]);
    expect(await recorded()).toBe(before);
  });

  test("gets a valid push of activities refused", async () => {
    const before = await recorded();
    const activity = { warehouseCode: "SYD", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-03-01T00:00:00Z" };
    const body = JSON.stringify({ activities: [activity] });
    expect((await revokedMeanwhile("/v1/org/fulfilment/activities", "application/json", body)).status).toBe(401);
    expect(await recorded()).toBe(before);
  });

  test("is not counted twice when it stays valid", async () => {
    const { key } = await createKey(service.portal.organisations, { organisationId: organisation.id, name: "counted" }, origin);
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const left = async () =>
      (await fetch(`${service.url}/v1/org/quote/getQuote`, { method: "POST", headers, body: "{}" })).headers.get("ratelimit-remaining");
    expect([await left(), await left()]).toEqual(["999999", "999998"]);
  });

  test("is looked up once for a body that arrives with its headers", async () => {
    const { key } = await createKey(service.portal.organisations, { organisationId: organisation.id, name: "small" }, origin);
    const lookUps = vi.spyOn(service.portal.lookUpPool, "query");
    try {
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const answer = await fetch(`${service.url}/v1/org/quote/getQuote`, { method: "POST", headers, body: "{}" });
      expect([answer.status, lookUps.mock.calls.length]).toEqual([400, 1]);
    } finally {
      lookUps.mockRestore();
    }
  });
});

describe("a member who is removed while a body arrives", () => {
  /** Signs the member in. The change comes when the session has been looked up, which the table shows to the minute. */
  async function changedMeanwhile(path: string, kind: "form" | "json" | "upload", change: (member: TestMember) => Promise<unknown>) {
    const member = await addMember(service, organisation.id, "admin");
    const who = await signedIn(service, member);
    const token = await formToken(who);
    await service.pool.query("update sessions set last_seen_at = now() - interval '2 minutes' where member_id = $1", [member.memberId]);
    const type = { form: "application/x-www-form-urlencoded", json: "application/json", upload: multipart }[kind];
    const body = {
      form: `token=${token}&name=held&rest=of+the+form`,
      json: "{                }",
      upload: field("token", token) + (path.includes("/catalogue/") ? "" : field("kind", "activities")) + file(activities),
    }[kind];
    const headers = { origin: service.url, cookie: `waybill=${who.cookies.get("waybill")}`, "content-type": type, "x-form-token": token };
    const seen = async () => {
      const found = await service.pool.query("select from sessions where member_id = $1 and last_seen_at > now() - interval '1 minute'", [
        member.memberId,
      ]);
      return found.rowCount === 1;
    };
    return held(withIds(path), headers, body, async () => {
      await eventually(seen, "the session to be looked up", 20_000);
      await change(member);
    });
  }

  const remove = ({ email }: TestMember) =>
    removeMember(service.portal.members, { organisationId: organisation.id, member: email }, origin);
  const signedInForms = forms.filter(({ access }) => access !== "anyone").map((form) => [form.path, form.body ?? "form"] as const);
  const scripts = answers.flatMap(({ path, maxBytes }) => (maxBytes ? [[path, "json"] as const] : []));

  test.each([...signedInForms, ...scripts])("is 401 at %s, sent as %s", async (path, kind) => {
    const last = async () => (await service.eventStore.last(`organisation-${organisation.id}`))?.revision;
    const before = [await recorded(), await last()];
    const { status, text: said } = await changedMeanwhile(path, kind, remove);
    expect([status, said]).toEqual([401, expect.stringContaining("You are signed out")]);
    expect([await recorded(), await last()]).toEqual(before);
  });

  test("is refused as well when only the role has changed", async () => {
    const demote = ({ email }: TestMember) =>
      changeRole(service.portal.members, { organisationId: organisation.id, member: email, role: "viewer" }, origin);
    expect((await changedMeanwhile("/portal/settings/keys", "form", demote)).status).toBe(401);
  });
});
