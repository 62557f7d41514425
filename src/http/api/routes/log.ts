import { z } from "zod";
import { aboutKinds, logTopics } from "../../../domain/log/entry.js";
import { namedEntry } from "../../../domain/log/sentences.js";
import { listLog } from "../../../queries/log/logEntries.js";
import { logNames } from "../../../queries/log/logNames.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { defineRoute, extensionGet, type Route } from "../route.js";

const logActor = answerObject("LogActor", {
  kind: z.enum(["key", "member", "cli"]).describe("An API key, a person in the portal, or the command line"),
  id: z.string().describe("The id of the key or member"),
  name: z.string().describe("The name as it is now; `a removed member` for a person who was erased"),
});

const logEntry = answerObject("LogEntry", {
  id: z.string().describe("The id of the recorded event"),
  at: instant("When it was done"),
  by: logActor.describe("Who did it"),
  what: z.enum(logTopics).describe("The topic"),
  event: z.string().describe("The type of the recorded event"),
  text: z.string().describe("What was done, as a sentence with the present names. Its wording may change"),
  about: answerObject("LogSubject", {
    kind: z.enum(aboutKinds).describe("The kind of thing that was changed"),
    id: z.string().describe("The thing's id. For a catalogue this is its version, for columns the kind of import"),
  }).describe("What was changed"),
  stream: z.string().describe("The stream that has the event"),
  revision: z.int().describe("The event's number in its stream"),
});

const actorFilter = z
  .string()
  .regex(/^[\w-]{1,64}$/, "must be the id of a key or a member, or cli")
  .optional()
  .describe("Entries of the key or member with this `by.id`, or `cli` for the command line");

export const logRoutes: readonly Route[] = [
  defineRoute({
    ...extensionGet,
    path: "/v1/org/log",
    operationId: "listLog",
    summary: "List what people, keys and the command line did, newest first",
    description:
      "Changes to keys, members, webhooks, the catalogue, imports, corrections and reversals, and sign-ins. Quotes and the service's own actions are not listed. Sign-ins are kept for 90 days, everything else permanently.",
    tag: "Log",
    request: {
      query: pageQuery
        .extend({
          by: actorFilter,
          what: z.enum(logTopics).optional().describe("Entries with this topic only"),
          from: timeParameter("What was done at or after this time"),
          to: timeParameter("What was done before this time"),
        })
        .strict(),
    },
    responses: {
      200: { description: "A page of the log", schema: pageSchema(logEntry, "LogEntries") },
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
