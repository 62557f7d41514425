// src/workers/webhooks sends events to the organisations' endpoints. One process at a time follows the event log and records the events.
// Every worker process makes deliveries of the events and sends the due ones. This file has what both depend on.
import type { PoolClient } from "pg";
import type { Logger } from "pino";
import type { OrganisationDeps } from "../../commands/organisations/organisationStream.js";
import type { AddressRules } from "../../domain/webhooks/address.js";
import type { Stores } from "../../ports/database.js";
import type { Notices } from "../../ports/notices.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { PostWebhook } from "../../ports/webhooks.js";

export interface WebhookWorkerDeps extends Stores {
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
  readonly objectStore: Pick<ObjectStore, "link">;
  /** For the commands that a worker gives: pause an endpoint after three days of failures, remove it after a 410. */
  readonly organisations: OrganisationDeps;
  readonly post: PostWebhook;
  readonly rules: AddressRules;
  readonly signingSecret: string;
  /** Without notices the sender polls for due deliveries. */
  readonly notices?: Notices;
  readonly logger: Logger;
  readonly workerId: string;
  readonly signal: AbortSignal;
  /** A random number from 0 to 1, which varies the pauses. Tests replace it. */
  readonly random?: () => number;
}
