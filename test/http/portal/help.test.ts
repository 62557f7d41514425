import { afterAll, beforeAll, expect, test } from "vitest";
import { addMember, signedIn } from "../../support/portal/portal.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

const textOf = async (path: string) => (await fetch(`${service.url}${path}`)).text();

test.each(["admin", "viewer"] as const)("the page Help explains every page of the menu that an %s has", async (role) => {
  const { id } = await service.organisation();
  const visitor = await signedIn(service, await addMember(service, id, role));
  const page = await (await visitor.get("/portal/help")).text();
  const menu = /<nav class="wide"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? "";
  const inMenu = [...menu.matchAll(/href="([^"]+)"/g)].map(([, path]) => path).filter((path) => path !== "/portal/help");
  const explained = [...page.matchAll(/<dt><a href="([^"]+)">[^<]+<\/a><\/dt><dd>[^<]{20,}<\/dd>/g)].map(([, path]) => path);
  expect(explained).toEqual(inMenu);
  expect(menu.includes("/portal/settings/keys")).toBe(role === "admin");
  expect(menu.match(/<svg class="icon"/g)).toHaveLength(inMenu.length + 1);
});

test("the portal leads to the guide and the reference, and they lead back", async () => {
  const { id } = await service.organisation();
  const visitor = await signedIn(service, await addMember(service, id, "viewer"));
  const page = await (await visitor.get("/portal/help")).text();
  for (const path of ["/docs", "/docs/guide", "/openapi.json"]) {
    expect(page).toContain(`href="${path}"`);
    expect((await fetch(`${service.url}${path}`)).status).toBe(200);
  }
  for (const path of ["/docs", "/docs/guide"]) {
    const link = /<a href="([^"]*portal)">Portal<\/a>/.exec(await textOf(path))?.[1] ?? "";
    expect(new URL(link, `${service.url}${path}`).pathname).toBe("/portal");
  }
});
