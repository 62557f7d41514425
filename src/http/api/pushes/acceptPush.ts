// What the four push routes share: their headers, their answer, and the steps from a checked file to a requested import.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { rejectWhenFull } from "../../../commands/imports/importQueue.js";
import { requestImport, type Submission } from "../../../commands/imports/requestImport.js";
import { writeLines } from "../../../commands/imports/writeLines.js";
import { limits } from "../../../domain/imports/limits.js";
import type { ImportKind, ImportRequested } from "../../../events/importEvents.js";
import type { Answer } from "../../server/answer.js";
import type { ApiDeps } from "../deps.js";
import type { Caller, RouteRequest } from "../route.js";

export const pushHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, `must be 1 to ${limits.idempotencyKeyLength} printable characters without blanks`)
    .optional()
    .describe("Extension: the same key with the same body within 24 hours returns the first answer and makes no second import"),
});

const acceptedFields = {
  importId: z.string().describe("Names the import from now on"),
  status: z.literal("queued").describe("It waits for its turn"),
  statusUrl: z.string().describe("Path of the import's status").meta({ format: "uri-reference" }),
};
const fromData = { ...acceptedFields, source: z.literal("data").describe("It came as JSON") };

export const acceptedFile = z
  .object({ ...acceptedFields, source: z.literal("file").describe("It came as a file") })
  .meta({ id: "AcceptedFile" });
export const acceptedShipments = z
  .object({ ...fromData, shipmentsReceived: z.int().describe("Shipments in the push; `counts.received` counts their goods lines") })
  .meta({ id: "AcceptedShipments" });
export const acceptedActivities = z
  .object({ ...fromData, activitiesReceived: z.int().describe("Activities in the push") })
  .meta({ id: "AcceptedActivities" });

type Push = Pick<Submission, "kind" | "source" | "sourceDetails" | "file" | "check"> & {
  elements?: number;
  idempotencyKey: string | undefined;
};

/** A push is answered within five seconds after its last byte, even if a store does not answer. */
export const withinMs = 4_200;

/** Checked before the body is read, so that a push to a full queue is rejected early. */
export async function roomInQueue(
  { headers, caller }: Pick<RouteRequest<{ headers: typeof pushHeaders }>, "headers" | "caller">,
  deps: ApiDeps,
): Promise<void> {
  const { organisationId, now, admissionMs } = caller;
  await rejectWhenFull(
    { pool: deps.pool, eventStore: deps.eventStore, maxQueuedImports: deps.limits.maxQueuedImports },
    { organisationId, now, idempotencyKey: headers["idempotency-key"], withinMs: withinMs - admissionMs },
  );
}

async function acceptPush(deps: ApiDeps, caller: Caller, push: Push): Promise<Answer> {
  const { organisationId, by, requestId, now, admissionMs } = caller;
  const { pool, eventStore, objectStore, logger, stopping } = deps;
  const request = await requestImport(
    { pool, eventStore, objectStore, maxQueuedImports: deps.limits.maxQueuedImports, logger, stopping },
    { ...push, organisationId, by, requestId, now, withinMs: withinMs - admissionMs },
  );
  return accepted(request);
}

/** Writes a JSON push as the file that the customer would have uploaded. */
export async function acceptData(
  deps: ApiDeps,
  caller: Caller,
  expanded: { readonly lines: Iterable<string>; readonly bytes: number; readonly hold: (bytes: number) => void },
  push: Omit<Push, "source" | "file">,
): Promise<Answer> {
  expanded.hold(expanded.bytes);
  const folder = await mkdtemp(join(deps.tempDir, "push-"));
  try {
    const path = join(folder, "file");
    const written = await writeLines(path, expanded.lines);
    return await acceptPush(deps, caller, {
      ...push,
      source: "data",
      file: { path, name: `${push.kind}.csv`, format: "csv", ...written },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const received: Record<ImportKind, string> = { shipments: "shipmentsReceived", activities: "activitiesReceived" };
const statusPath: Record<ImportKind, string> = { shipments: "/v1/org/shipments/imports", activities: "/v1/org/fulfilment/imports" };

export function accepted({ importId, kind, source, elements }: ImportRequested): Answer {
  const body = {
    importId,
    status: "queued",
    source,
    ...(elements === undefined ? {} : { [received[kind]]: elements }),
    statusUrl: `${statusPath[kind]}/${importId}`,
  };
  return { status: 202, body };
}
