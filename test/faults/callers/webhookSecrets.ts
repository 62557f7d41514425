// Creates, shows and rotates secrets of endpoints by every command, with an endpoint that echoes what it gets. Returns the secrets.
import { expect } from "vitest";
import type { Command } from "../../support/commandLine.js";
import { until } from "../../support/processes.js";
import { startReceiver } from "../../support/receiver.js";
import type { SeparateRoles } from "../machines/separateRoles.js";
import type { Customer } from "./customer.js";

export interface WebhookUse {
  readonly secrets: readonly string[];
  /** The id of the endpoint whose secret was rotated. */
  readonly endpointId: string;
  /** The output of commands and metrics, without the secrets. */
  readonly said: string;
}

/** `pushOne` makes events for two endpoints: one that succeeds, and one that fails. */
export async function useWebhooks(
  roles: SeparateRoles & { command: Command },
  customer: Customer,
  pushOne: () => Promise<void>,
): Promise<WebhookUse> {
  const dead = await startReceiver((got, response) => {
    response.statusCode = 500;
    response.end(JSON.stringify(got)); // echoes the request, which the product stores as the endpoint's answer
    return true;
  });
  const alive = await startReceiver();
  const said: string[] = [];
  const run = async (...args: string[]) => {
    const { stdout, stderr } = await roles.command(["webhooks", ...args, "--org", customer.organisationId], roles.environment);
    said.push(stderr);
    return stdout.trim();
  };
  try {
    const secrets = [await run("add", "--url", dead.url), await run("add", "--url", alive.url)];
    const endpoints = JSON.parse(await run("list", "--json")) as { endpointId: string; url: string }[];
    const endpointId = endpoints.find(({ url }) => url === dead.url)?.endpointId ?? "";
    secrets.push(await run("rotate", endpointId));
    said.push(await run("ping", secrets[0] ?? "")); // refused; the error must not repeat the secret
    await pushOne();
    const metrics = async () => (await fetch(`${roles.url}/metrics`)).text();
    await until(
      "both are told, and one waits",
      async () => /^waybill_webhook_deliveries\{outcome="delivered"\} 2$/m.test(await metrics()) && dead.got.length > 0,
    );
    await until("the oldest has an age", async () => /^waybill_webhook_oldest_unsent_seconds (?!0$)[\d.]+$/m.test(await metrics()));
    await until("both of the other wait", async () => /^waybill_webhook_deliveries\{outcome="waiting"\} 2$/m.test(await metrics()));
    expect((await fetch(`${roles.url}/readyz`)).status).toBe(200);
    said.push(await metrics(), await run("deliveries", endpointId, "--json"));
    return { secrets, endpointId, said: said.join("\n") };
  } finally {
    await Promise.all([dead.close(), alive.close()]);
  }
}

/** The forms in which a secret may be stored, as latin1 text. */
export function formsOf(secret: string): string[] {
  const raw = Buffer.from(secret.slice("whsec_".length), "base64");
  const hex = raw.toString("hex");
  return [raw.toString("latin1"), raw.toString("base64").slice(0, 43), raw.toString("base64url"), hex, hex.toUpperCase()];
}
