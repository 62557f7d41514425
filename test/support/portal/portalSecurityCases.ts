// Cases that every address of the portal must pass, run over its own lists so that a new page or form cannot be forgotten.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { may, type Role } from "../../../src/domain/members.js";
import { maxFormBytes } from "../../../src/http/portal/fields.js";
import type { Access } from "../../../src/http/portal/pageDefinition.js";
import { answers, forms, pages } from "../../../src/http/portal/pages/list.js";
import { everyCase } from "../projects/everyCase.js";
import type { TestService } from "../service.js";
import { openablePages } from "./openablePages.js";
import { addMember, formToken, sharedSession, signedIn, type TestMember, type Visitor, visitor, withoutToken } from "./portal.js";
import { ownOf } from "./portalCatalogue.js";
import { ownShipmentOf, retailOf } from "./portalImports.js";
import type { PortalStage } from "./portalStage.js";

const roles: readonly Role[] = ["admin", "operator", "viewer"];
const allowed = (access: Access): Role[] => roles.filter((role) => access === "anyone" || may(role, access));
const refused = (access: Access): Role[] => roles.filter((role) => !allowed(access).includes(role));

/** A test that does not apply to an address is left out, not reported as skipped. */
const testWhere = (applies: boolean) => (applies ? test : () => undefined) as typeof test;

/** An address with ids of the stage's organisation in it, or with made-up ones. */
export function addressOf(path: string, stage: PortalStage, madeUp = false): string {
  const { keyId, sessionId, joinToken: token, endpointId, deliveryId, quoteId, entryId } = stage;
  const importId = path.startsWith("/portal/activities") ? stage.activitiesId : stage.importId;
  const shipmentId = ownShipmentOf(stage.organisationId);
  const own = ownOf(stage.organisationId);
  const ids: Record<string, string> = {
    keyId,
    sessionId,
    memberId: stage.people.viewer.memberId,
    token,
    importId,
    row: "5",
    endpointId,
    deliveryId,
    shipmentId,
    quoteId,
    customerId: retailOf(stage.organisationId),
    ...{ carrierId: own, serviceId: own, zoneMapId: own, rateCardId: own, fieldKey: own },
    place: "1",
    entryId,
    fileId: stage.fileId,
    headings: stage.headings,
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`no ${name} is known to the security cases`);
    return madeUp ? randomUUID() : id;
  });
}

/** Addresses whose query names one thing of the organisation, which is the page's or the download's subject. */
const named = [
  "/portal/upload/columns?kind=activities&headings={headings}",
  "/portal/quotes?quote={quoteId}",
  "/portal/shipments/~{shipmentId}",
  "/portal/activities?import={importId}",
  ...["rows.csv", "rows.xlsx", "totals.csv", "changes.csv"].map((file) => `/portal/activities/${file}?since=2026-07-01&import={importId}`),
  "/portal/activities/reverse?row={importId}:5&row={keyId}:5",
  "/portal/corrections?import={importId}",
  "/portal/corrections/rows?import={importId}",
];

/** Addresses whose query narrows a list, or asks a question about one of its entries: another organisation's finds nothing there. */
const narrowing = [
  "/portal/activities?month=2026-07&customer={customerId}",
  "/portal/shipments?id={shipmentId}",
  "/portal/settings/log?by={memberId}",
  ...["revoke", "rotate"].map((ask) => `/portal/settings/keys?${ask}={keyId}`),
  ...["remove", "erase", "change"].map((ask) => `/portal/settings/members?to=admin&${ask}={memberId}`),
];

const queryNames = (address: string): string[] =>
  [...new URL(address, "http://x").searchParams.keys()].map((name) => `${address.split("?")[0]}?${name}`);

/** What a stranger gets for the ids of the stage, and for made-up ones, without the ids themselves. */
async function answersTo(stranger: Visitor, path: string, stage: PortalStage): Promise<(readonly [number, string])[]> {
  const addresses = [addressOf(path, stage), addressOf(path, stage, true)];
  return Promise.all(
    addresses.map(async (address) => {
      const response = await stranger.get(address, { "x-request-id": "the-same" });
      const values = [...address.split(/[/?]/), ...new URL(address, "http://x").searchParams.values()].flatMap((part) => part.split(":"));
      const ids = values.flatMap((id) => [id, encodeURIComponent(id), id.slice(0, 12)]).filter((id) => /\d/.test(id) && id.length > 7);
      const text = ids.reduce((page, id) => page.replaceAll(id, ""), withoutToken(await response.text()));
      return [response.status, text] as const;
    }),
  );
}

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const strangers = new WeakMap<TestService, Promise<Visitor>>();

/** An admin of another organisation, with one session for all cases: none may end it. */
function strangerTo(service: TestService): Promise<Visitor> {
  const stranger =
    strangers.get(service) ?? service.organisation().then(async ({ id }) => signedIn(service, await addMember(service, id, "admin")));
  strangers.set(service, stranger);
  return stranger;
}

/** Takes the member out of the organisation for the time of the work, so that the cases need no member each. */
async function whileRemoved({ pool }: TestService, { memberId }: TestMember, work: () => Promise<void>): Promise<void> {
  const become = (status: string) => pool.query("update members set status = $2 where member_id = $1", [memberId, status]);
  await become("removed");
  try {
    await work();
  } finally {
    await become("active");
  }
}

export function portalSecurityCases(stage: () => PortalStage): void {
  describe.each(pages.map((page) => [page.path, page] as const))("GET %s", (_, { path, access }) => {
    test("cannot be framed, is never stored, and loads nothing from elsewhere, signed in or not", async () => {
      const { service, people } = stage();
      for (const who of [visitor(service.url), await sharedSession(service, people.admin)]) {
        const { headers, status } = await who.get(addressOf(path, stage()));
        expect([headers.get("x-frame-options"), headers.get("cache-control")]).toEqual(["DENY", "no-store"]);
        if (status !== 302) expect(headers.get("content-security-policy")).toBe(contentSecurityPolicy);
      }
    });

    testWhere(access !== "anyone")("redirects a visitor who is signed out, or a member who was removed, to sign-in", async () => {
      const { service, people } = stage();
      const member = people[allowed(access)[0] ?? "admin"];
      const open = await sharedSession(service, member);
      const address = addressOf(path, stage());
      expect((await open.get(address)).status).toBe(200);
      await whileRemoved(service, member, async () => {
        for (const who of [visitor(service.url), open, visitor(service.url, new Map([["waybill", "a".repeat(43)]]))]) {
          const response = await who.get(address);
          expect([response.status, await response.text()]).toEqual([302, ""]);
          expect(response.headers.get("location")).toMatch(/^\/portal\/sign-in(\?next=%2Fportal|$)/);
        }
      });
    });

    testWhere(refused(access).length > 0)("is 403 for a role that may not see it", async () => {
      const { service, people } = stage();
      for (const role of refused(access))
        expect((await (await sharedSession(service, people[role])).get(addressOf(path, stage()))).status).toBe(403);
    });
  });

  describe.each(pages.filter(({ path, access }) => access !== "anyone" && path.includes("{")).map((page) => [page.path, page] as const))(
    "GET %s",
    (_, { path }) => {
      test("is 404 for ids of another organisation, with the same answer as for made-up ids", async () => {
        const [theirs, madeUp] = await answersTo(await strangerTo(stage().service), path, stage());
        expect(theirs?.[0]).toBe(404);
        expect(theirs).toEqual(madeUp);
      });
    },
  );

  test.each(named)("GET %s is 404 for ids of another organisation, with the same answer as for made-up ids", async (path) => {
    const [theirs, madeUp] = await answersTo(await strangerTo(stage().service), path, stage());
    expect(theirs?.[0]).toBe(404);
    expect(theirs).toEqual(madeUp);
  });

  test.each(narrowing)("GET %s answers the same for ids of another organisation as for made-up ids", async (path) => {
    const [theirs, madeUp] = await answersTo(await strangerTo(stage().service), path, stage());
    expect(theirs?.[0]).toBe(200);
    expect(theirs).toEqual(madeUp);
  });

  test("every page that is opened with an id of its organisation in the query is among them", () => {
    const known = [...named, ...narrowing].flatMap(queryNames);
    const ids = stage();
    const values = new Set([...Object.values(ids), ids.people.admin.memberId, ids.people.viewer.memberId, retailOf(ids.organisationId)]);
    const opened = openablePages.flatMap(({ address }) => {
      const [path, query] = address(ids).split("?");
      return [...new URLSearchParams(query)].filter(([, value]) => values.has(value)).map(([name]) => `${path}?${name}`);
    });
    expect(opened.length).toBeGreaterThan(5);
    expect(opened.filter((each) => !known.includes(each))).toEqual([]);
  });

  describe.each(forms.map((form) => [form.path, form] as const))("POST %s", (_, { path, access, body, maxBytes = maxFormBytes }) => {
    const file = new File(["a\n1\n"], "a.csv");
    const post = (who: Visitor, address: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      body === "upload" ? who.upload(address, fields, file, headers) : who.post(address, fields, headers);

    test("is 403 from another site, with a good session and token", async () => {
      const { service, people } = stage();
      const who = await sharedSession(service, people.admin);
      const token = await formToken(who);
      const crossSite: Record<string, string>[] = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "" },
        { origin: service.url, "sec-fetch-site": "cross-site" },
        { origin: service.url, "sec-fetch-site": "same-site" },
      ];
      const place = forms.findIndex((form) => form.path === path);
      const sent = everyCase ? crossSite : [0, 1].map((more) => crossSite[(place + more) % crossSite.length] ?? {});
      for (const headers of sent) expect((await post(who, addressOf(path, stage()), { token }, headers)).status).toBe(403);
    });

    test("takes forms only, and small ones", async () => {
      const { service, people } = stage();
      const who = await sharedSession(service, people.admin);
      const address = addressOf(path, stage());
      expect((await who.post(address, {}, { "content-type": "text/plain" })).status).toBe(415);
      if (body === "upload") return; // the limits of uploads apply to it instead
      expect((await who.post(address, { token: await formToken(who), x: "x".repeat(maxBytes) })).status).toBe(413);
      expect((await who.post(address, { token: await formToken(who), x: "\0" })).status).toBe(400);
    });

    testWhere(access !== "anyone")("is refused without a session, and with the token of another one", async () => {
      const { service, people } = stage();
      const signedOut = await post(visitor(service.url), addressOf(path, stage()), { token: "x" });
      expect([signedOut.status, signedOut.headers.get("location")]).toEqual([303, "/portal/sign-in"]);
      const who = await sharedSession(service, people.admin);
      const another = await formToken(await sharedSession(service, people.admin, "another"));
      for (const token of ["", "x", another]) expect((await post(who, addressOf(path, stage()), { token })).status).toBe(403);
    });

    testWhere(refused(access).length > 0)("is 403 for a role that may not send it", async () => {
      const { service, people } = stage();
      for (const role of refused(access)) {
        const who = await sharedSession(service, people[role]);
        expect((await post(who, addressOf(path, stage()), { token: await formToken(who) })).status).toBe(403);
      }
    });

    testWhere(access !== "anyone" && path.includes("{"))(
      "is 404 for ids of another organisation, with the same answer as for made-up ids",
      async () => {
        const { service } = stage();
        const stranger = await strangerTo(service);
        const token = await formToken(stranger);
        const answers = [addressOf(path, stage()), addressOf(path, stage(), true)].map(async (address) => {
          const given: Record<string, string> = body === "upload" ? { token } : { token, role: "admin", keep: "24" };
          const response = await post(stranger, address, given, { "x-request-id": "the-same" });
          const id = address.split("/").find((part) => /\d/.test(part)) ?? "";
          return [
            response.status,
            withoutToken(await response.text())
              .replaceAll(id, "")
              .replaceAll(id.slice(0, 12), ""),
          ];
        });
        const [theirs, madeUp] = await Promise.all(answers);
        expect(theirs?.[0]).toBe(404);
        expect(theirs).toEqual(madeUp);
      },
    );
  });

  describe.each(answers.map((one) => [one.maxBytes ? "POST" : "GET", one.path, one] as const))(
    "%s %s, which a page's script asks for",
    (method, path, one) => {
      const { access } = one;
      const ask = (who: Visitor, address: string, headers: Record<string, string> = {}) =>
        method === "GET"
          ? who.get(address, { accept: "application/json", ...headers })
          : who.post(address, {}, { "content-type": "application/json", ...headers });
      /** Does not read the body, since some answers stay open. */
      const statusOf = async (answer: Promise<Response>) => {
        const response = await answer;
        await response.body?.cancel();
        return response.status;
      };

      test("is 401 in JSON for a script that is signed out or whose member was removed, and leads a browser to sign-in", async () => {
        const { service, people } = stage();
        const member = people[allowed(access)[0] ?? "admin"];
        const removed = await sharedSession(service, member);
        await whileRemoved(service, member, async () => {
          for (const who of [visitor(service.url), removed]) {
            const response = await ask(who, addressOf(path, stage()), { "x-form-token": "x" });
            expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
              ...[401, "application/json", "no-store"],
            ]);
            if (method === "GET") expect(await statusOf(who.get(addressOf(path, stage())))).toBe(302);
          }
        });
      });

      testWhere(refused(access).length > 0)("is 403 for a role that may not ask", async () => {
        const { service, people } = stage();
        for (const role of refused(access)) {
          const who = await sharedSession(service, people[role]);
          const headers = { "x-form-token": await formToken(who) };
          expect(await statusOf(ask(who, addressOf(path, stage()), headers))).toBe(403);
        }
      });

      testWhere(method === "POST")("is 403 from another site, and without the token of its session", async () => {
        const { service, people } = stage();
        const who = await sharedSession(service, people.admin);
        const token = await formToken(who);
        const crossSite: Record<string, string>[] = [
          { origin: "https://evil.example", "x-form-token": token },
          { origin: service.url, "sec-fetch-site": "cross-site", "x-form-token": token },
          {},
          { "x-form-token": await formToken(await sharedSession(service, people.admin, "another")) },
        ];
        for (const headers of crossSite) expect(await statusOf(ask(who, addressOf(path, stage()), headers))).toBe(403);
      });

      testWhere(path.includes("{"))("refuses ids of another organisation and made-up ids", async () => {
        const { service } = stage();
        const stranger = await strangerTo(service);
        const headers = { "x-form-token": await formToken(stranger) };
        for (const madeUp of [false, true]) {
          const status = await statusOf(ask(stranger, addressOf(path, stage(), madeUp), headers));
          // A body that is wrong in itself may be refused before the id is looked up, the same for every id.
          expect(method === "GET" ? [404] : [404, 400]).toContain(status);
        }
      });
    },
  );
}
