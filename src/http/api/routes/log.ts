import { z } from "zod";
import { aboutKinds, logTopics } from "../../../domain/log/entry.js";
import { namedEntry } from "../../../domain/log/sentences.js";
import { listLog } from "../../../queries/log/logEntries.js";
import { logNames } from "../../../queries/log/logNames.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { defineRoute, type Route, readBeyondContract } from "../route.js";

const actor = answerObject("LogActor", {
  kind: z.enum(["key", "member", "cli"]).describe("An API key, a person in the portal, or the command line"),
  id: z.string().describe("The id of the key or member"),
  name: z.string().describe("The name as it is now; `a removed member` for a person who was erased"),
});

const entry = answerObject("LogEntry", {
  id: z.string().describe("The id of the recorded event"),
  at: instant("When it was done"),
  by: actor.describe("Who did it"),
  what: z.enum(logTopics).describe("What it belongs to"),
  event: z.string().describe("The type of the recorded event"),
  text: z.string().describe("What was done, in a sentence with the names as they are now. For people: its words may change"),
  about: answerObject("LogSubject", {
    kind: z.enum(aboutKinds).describe("What kind of thing it was done to"),
    id: z.string().describe("The thing's id; for a catalogue its version, for columns the kind of import"),
  }).describe("What it was done to"),
  stream: z.string().describe("The stream that has the event"),
  revision: z.int().describe("The event's number in its stream"),
});

const by = z
  .string()
  .regex(/^[\w-]{1,64}$/, "must be the id of a key or a member, or cli")
  .optional()
  .describe("What this key or member has done, by `by.id`; `cli` for the command line");

export const logRoutes: readonly Route[] = [
  defineRoute({
    ...readBeyondContract,
    path: "/v1/org/log",
    operationId: "listLog",
    summary: "List what people, keys and the command line did, newest first",
    description:
      "Keys, members, sign-ins, webhooks, the catalogue, imports, corrections and reversals. What the service does by itself, and quotes, are not in it. Sign-ins are kept for 90 days, everything else permanently.",
    tag: "Log",
    request: {
      query: pageQuery
        .extend({
          by,
          what: z.enum(logTopics).optional().describe("Entries that belong to this only"),
          from: timeParameter("What was done at or after this time"),
          to: timeParameter("What was done before this time"),
        })
        .strict(),
    },
    responses: {
      200: { description: "A page of the log", schema: pageSchema(entry, "LogEntries") },
      400: { description: "Malformed cursor, limit, filter or time, an unknown parameter, or from is after to" },
    },
    handler: async ({ query, caller: { organisationId } }, deps) => {
      const { pool } = deps;
      const filter = { by: query.by, what: query.what, ...(await timeRange(query, organisationId, pool)) };
      const page = await listLog(organisationId, filter, pageRequest(query, deps), pool);
      const names = await logNames(organisationId, page.items, pool);
      return answerPage(Promise.resolve(page), (item) => namedEntry(item, names));
    },
  }),
];
