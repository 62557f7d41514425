// The dependencies of the commands about webhooks and of the workers that send them.
import { transaction } from "../adapters/postgres/transaction.js";
import { createPost } from "../adapters/webhooks/post.js";
import type { WebhookDeps } from "../commands/organisations/webhooks.js";
import type { Config } from "../config.js";
import type { WebhookWorkerDeps } from "../workers/webhooks/deps.js";
import { type Adapters, organisationDeps } from "./adapters.js";

export function webhookDeps(adapters: Adapters, { webhookPrivate }: Config, signingSecret: string): WebhookDeps {
  return { ...organisationDeps(adapters), rules: { allowPrivate: webhookPrivate }, signingSecret };
}

export function webhookWorkerDeps(
  adapters: Adapters,
  config: Config,
  signingSecret: string,
): Omit<WebhookWorkerDeps, "logger" | "signal" | "workerId"> {
  const { pool, eventStore, objectStore } = adapters;
  const { rules, ...organisations } = webhookDeps(adapters, config, signingSecret);
  return {
    ...{ pool, eventStore, objectStore, organisations, rules, signingSecret },
    inTransaction: (work) => transaction(pool, work),
    post: createPost(),
  };
}
