// The pages of webhooks in a real browser, as an admin uses them, with a real receiver and a real worker.
import { pino } from "pino";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { transaction } from "../../../../src/adapters/postgres/pool.js";
import { createPost } from "../../../../src/adapters/webhooks/post.js";
import { runWebhooks } from "../../../../src/workers/webhooks/runWebhooks.js";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { append, tell } from "../../../support/importStory.js";
import { addMember, password, type TestMember } from "../../../support/portal/portal.js";
import { type Receiver, startReceiver } from "../../../support/receiver.js";
import type { TestOrganisation, TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
let organisation: TestOrganisation;
let admin: TestMember;
let receiver: Receiver;
const control = new AbortController();
let worker: Promise<void>;
beforeAll(async () => {
  service = await sharedService();
  organisation = await service.organisation();
  admin = await addMember(service, organisation.id, "admin");
  receiver = await startReceiver();
  const { pool, eventStore, objectStore, portal } = service;
  const { webhooks } = portal;
  worker = runWebhooks({
    ...{ pool, eventStore, objectStore, organisations: webhooks, rules: webhooks.rules, signingSecret: webhooks.signingSecret },
    ...{ post: createPost(), logger: pino({ level: "silent" }), workerId: "w1", signal: control.signal },
    random: () => 500, // a failed delivery is retried after twenty minutes, so that an earlier attempt can only come from "Send again"
    inTransaction: (work) => transaction(pool, work),
  });
});
afterAll(async () => {
  control.abort();
  await worker;
  await receiver?.close();
});

/** Waits until the page shows this text by itself. */
const untilShown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

browserTest(
  "an endpoint is added, pinged, its secret rotated, an answer seen, an event sent again, and it is paused, replayed, changed and removed",
  async () => {
    await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
      const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
      const answerWith = (name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
      await page.goto("/portal/settings/webhooks");
      await page.getByLabel("Email").fill(admin.email);
      await page.getByLabel("Password").fill(password);
      await press("Sign in");
      await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
      await page.getByText("No endpoints yet").waitFor();
      expect(await page.getByRole("link", { name: "The API reference" }).getAttribute("href")).toBe("/docs");

      await page.getByRole("link", { name: "Add endpoint" }).click();
      await page.getByLabel("URL").fill("http://10.0.0.1/hook");
      await press("Add endpoint");
      await page.getByRole("alert").getByText("10.0.0.1 is a private address").waitFor();
      faults.length = 0; // the console logs the 400
      await page.getByLabel("URL").fill(receiver.url);
      await page.getByLabel("import.started").uncheck();
      await press("Add endpoint");
      await page.getByRole("heading", { level: 1, name: receiver.url }).waitFor();
      const secret = (await page.locator(".only-once code").textContent()) ?? "";
      expect(secret).toMatch(/^whsec_/);
      await page.getByRole("button", { name: "Copy secret" }).waitFor();
      receiver.secret = secret;
      await page.reload();
      expect(await page.content()).not.toContain(secret);

      await press("Send a ping");
      await page.getByText("Ping sent.").waitFor();
      await untilShown(page, /^Delivered$/);
      expect(receiver.got.map(({ type }) => type)).toEqual(["ping"]);
      await press("Rotate secret");
      await answerWith("Rotate");
      await page.getByText("requests are signed with both the old and the new secret").waitFor();
      receiver.secret = (await page.locator(".only-once code").textContent()) ?? "";
      expect(receiver.secret).not.toBe(secret);

      receiver.answer = (_, response) => {
        response.statusCode = 500;
        response.end("the shelf is full");
        return true;
      };
      await append(service.eventStore, tell({ kind: "activities", organisationId: organisation.id }));
      await untilShown(page, "It answered 500.");
      await untilShown(page, /^Failing$/); // the page reads the endpoint's state before its attempts, so that the state may be older
      const row = page.getByRole("row", { name: /import\.completed/ });
      await row.getByText("1 attempt, 500").waitFor();
      await row.getByRole("link", { name: "import.completed" }).click();
      await page.getByRole("heading", { level: 1, name: "import.completed" }).waitFor();
      await page.getByText("the shelf is full").waitFor();
      const payload = JSON.parse((await page.locator("#payload ~ pre").textContent()) ?? "") as unknown;
      expect(payload).toEqual(JSON.parse(receiver.got.find(({ type }) => type === "import.completed")?.body ?? ""));
      receiver.answer = () => undefined;
      await service.pool.query("update webhook_health set retry_at = now()"); // end the endpoint's own back-off too
      await press("Send again");
      await page.getByText("The event is sent again with the same id, after those already waiting.").waitFor();
      await untilShown(page, "2 attempts, 200");
      const [first, second] = receiver.got.filter(({ type }) => type === "import.completed");
      expect(second?.id).toBe(first?.id);
      expect(receiver.forged).toEqual([]);

      await press("Pause");
      await page.getByText("Somebody paused it.").waitFor();
      await press("Resume");
      await page.getByText("Active", { exact: true }).waitFor();
      await page.getByLabel("From").fill("2020-01-01T00:00");
      await press("Replay from then");
      await answerWith("Replay");
      await page.getByText("1 event is sent again.").waitFor();
      await untilShown(page, "3 attempts, 200");

      await page.getByLabel("import.failed").uncheck();
      await press("Save changes");
      await page.getByText("Saved.").waitFor();
      await page.getByRole("navigation", { name: "You are here" }).getByRole("link", { name: "Webhooks" }).click();
      await page.getByText("import.completed, import.cancelled").waitFor();
      await page.getByRole("link", { name: receiver.url }).click();
      await press("Remove");
      await answerWith("Remove");
      await page.getByText("Endpoint removed.").waitFor();
      await page.getByText("No endpoints yet").waitFor();
      expect(faults).toEqual([]);
    });
  },
);
