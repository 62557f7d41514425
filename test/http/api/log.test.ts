import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, revokeKey } from "../../../src/commands/organisations/keys.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly by: { readonly kind: string; readonly id: string; readonly name: string };
  readonly text: string;
}

let service: TestService;
let organisation: TestOrganisation;
let keyId: string;
let prefix: string;
const origin = { by: { kind: "cli", id: "operator" }, correlationId: "test" } as const;

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  const { organisations } = service.portal;
  ({ keyId, prefix } = await createKey(organisations, { organisationId: organisation.id, name: "laptop" }, origin));
  await revokeKey(organisations, { organisationId: organisation.id, prefix: keyId }, origin);
  const other = await service.organisation();
  await createKey(organisations, { organisationId: other.id, name: "not yours" }, origin);
  await projectLog(service);
});
afterAll(() => service?.close());

const ask = async (query: string) => {
  const response = await organisation.get(`/v1/org/log${query}`);
  return { status: response.status, body: (await response.json()) as { items: Entry[]; nextCursor: string | null } };
};

test("an entry has who, what, a sentence, the thing and the event", async () => {
  const { body } = await ask("?what=keys&by=cli&limit=1");
  expect(body.items).toEqual([
    {
      id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      by: { kind: "cli", id: "operator", name: "the command line" },
      what: "keys",
      event: "ApiKeyRevoked",
      text: `The command line revoked the key laptop (${prefix})`,
      about: { kind: "key", id: keyId },
      stream: `organisation-${organisation.id}`,
      revision: expect.any(Number),
    },
  ]);
});

test("pages follow each other by the cursor, and hold nothing of another organisation", async () => {
  const all = (await ask("")).body.items.map(({ id }) => id);
  const paged: string[] = [];
  for (let query = "?limit=1"; ; ) {
    const { items, nextCursor } = (await ask(query)).body;
    paged.push(...items.map(({ id }) => id));
    if (nextCursor === null) break;
    query = `?limit=1&cursor=${nextCursor}`;
  }
  expect(paged).toEqual(all);
  expect(all.length).toBeGreaterThan(2);
  expect(JSON.stringify((await ask("")).body)).not.toContain("not yours");
});

test("a time is included as from and not as to; a day is the whole day", async () => {
  const [newest] = (await ask("?what=keys")).body.items;
  const ids = async (query: string) => (await ask(`?what=keys&${query}`)).body.items.map(({ id }) => id);
  expect(await ids(`from=${newest?.at}`)).toContain(newest?.id);
  expect(await ids(`to=${newest?.at}`)).not.toContain(newest?.id);
  expect(await ids("to=2020-01-01")).toEqual([]);
});

test.each([
  "limit=0",
  "limit=501",
  "what=nothing",
  "by=",
  "by=%00",
  `by=${"x".repeat(65)}`,
  "from=yesterday",
  "from=2026-03-02&to=2026-03-01",
  "cursor=x",
  "colour=red",
])("?%s is 400", async (query) => {
  expect((await ask(`?${query}`)).status).toBe(400);
});

const endOfTime = "9999-12-31T23:59:59-12:00";

test.each(["limit=1", "limit=500", `by=${"x".repeat(64)}`, "what=sign-ins", `from=${endOfTime}`, `to=${endOfTime}`])(
  "?%s is 200",
  async (query) => {
    expect((await ask(`?${query}`)).status).toBe(200);
  },
);
