import { test } from "vitest";
import { decide, type WebhookAction, webhooksAggregate } from "../../../src/commands/organisations/webhooks.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";

type OrganisationEvent = EventOn<"organisation">;
const given = givenWhenThen({ ...webhooksAggregate, decide });

const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "cli" as const, id: "operator" };
const at = now.toISOString();
const caused = { endpointId: "e-1", by, at };
const command = (action: WebhookAction) => ({ organisationId: "demo", endpointId: "e-1", by, now, ...action });
const settings = { url: "https://erp.example.com/", events: ["import.completed"] };

const applied: OrganisationEvent = {
  type: "CatalogueApplied",
  data: { organisationId: "demo", version: 1, sinceRevision: 0, changes: [], by, at },
};
const added: OrganisationEvent = { type: "WebhookAdded", data: { ...caused, ...settings } };
const rotated = (generation: number): OrganisationEvent => ({ type: "WebhookChanged", data: { ...caused, ...settings, generation } });
const paused: OrganisationEvent = { type: "WebhookPaused", data: { ...caused, reason: "It is down." } };
const resumed: OrganisationEvent = { type: "WebhookResumed", data: caused };
const removed: OrganisationEvent = { type: "WebhookRemoved", data: caused };

const add = command({ type: "add", ...settings });
const rotate = command({ type: "rotate" });
const pause = command({ type: "pause", reason: "It is down." });
const resume = command({ type: "resume" });
const remove = command({ type: "remove" });

test("an endpoint is added, rotated, paused, resumed and removed", () => {
  given(applied).when(add).decides(added);
  given(applied, added).when(rotate).decides(rotated(2));
  given(applied, added, rotated(2)).when(rotate).decides(rotated(3));
  given(applied, added).when(pause).decides(paused);
  given(applied, added, paused).when(resume).decides(resumed);
  given(applied, added, paused).when(remove).decides(removed);
});

test("a command that would change nothing decides nothing", () => {
  given(applied, added).when(add).decidesNothing();
  given(applied, added, paused).when(pause).decidesNothing();
  given(applied, added).when(resume).decidesNothing();
  given(applied, added, paused, resumed).when(resume).decidesNothing();
  given(applied, added)
    .when(command({ type: "change", ...settings }))
    .decidesNothing();
});

test("a change keeps the settings that it does not name, and the secret's generation", () => {
  const url = "https://other.example.com/";
  given(applied, added, rotated(2))
    .when(command({ type: "change", url }))
    .decides({ type: "WebhookChanged", data: { ...caused, ...settings, url, generation: 2 } });
});

test("an endpoint that was never added, or is removed, is not found", () => {
  for (const each of [rotate, pause, resume, remove, command({ type: "change" })]) {
    given(applied).when(each).isRejected("notFound", "There is no such endpoint");
    given(applied, added, removed).when(each).isRejected("notFound", "There is no such endpoint");
  }
});

test("an organisation that does not exist gets no endpoint", () => {
  given().when(add).isRejected("notFound", "There is no organisation demo; create it with org apply");
});

const others = (count: number) =>
  Array.from(
    { length: count },
    (_, n): OrganisationEvent => ({ type: "WebhookAdded", data: { ...caused, endpointId: `other-${n}`, ...settings } }),
  );

test.each([18, 19])("an organisation with %s endpoints may add one", (count) => {
  given(applied, ...others(count))
    .when(add)
    .decides(added);
});

test.each([20, 21, 1_000])("an organisation with %s endpoints may not add one, and those it has stay and can be changed", (count) => {
  given(applied, ...others(count))
    .when(add)
    .isRejected("conflict", "An organisation has at most 20 endpoints; remove one first");
  given(applied, added, ...others(count - 1))
    .when(rotate)
    .decides(rotated(2));
});

test("removed endpoints do not count", () => {
  given(applied, ...others(20), { type: "WebhookRemoved", data: { ...caused, endpointId: "other-0" } })
    .when(add)
    .decides(added);
});
