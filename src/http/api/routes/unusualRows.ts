import { z } from "zod";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { listUnusualRows } from "../../../queries/imports/unusualRows.js";
import { answerObject } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../listQuery.js";
import { defineRoute, extensionGet, type Route } from "../route.js";
import { importKindRoutes, importParams, unusualKind } from "./importsShape.js";

const unusualRow = answerObject("UnusualRow", {
  row: z.int().describe("The row's number in the file (the header is 1), or its ordinal in the JSON push"),
  kinds: z.array(unusualKind).describe("Why it is unusual"),
  near: z
    .string()
    .optional()
    .describe("Only for newCode: a known code that differs by one character, two swapped characters, letter case or blanks"),
  sameAs: answerObject("RepeatedActivity", {
    importId: z.string().describe("The earlier import"),
    row: z.int().describe("The row's number in that import"),
  })
    .optional()
    .describe("Only for repeated: the earlier activity. Absent if the only equal row is in the same file"),
});

const { kind, base, tag } = importKindRoutes[1];

export const unusualRowRoutes: readonly Route[] = [
  defineRoute({
    ...extensionGet,
    path: `${base}/{importId}/unusual`,
    operationId: "listUnusualFulfilmentRows",
    summary: "List the unusual rows of a fulfilment import",
    description: "Accepted rows that are perhaps wrong. They count like any other until they are corrected or reversed.",
    tag,
    request: { params: importParams, query: pageQuery },
    responses: {
      200: {
        description: "A page of unusual rows, in row order. Only the first 1,000 of each kind are listed",
        schema: pageSchema(unusualRow, "UnusualRows"),
      },
      400: { description: "Malformed cursor or limit" },
      404: { description: "No such import in the organisation" },
    },
    handler: async ({ params: { importId }, query, caller }, deps) => {
      await requireImport(caller.organisationId, { kind, importId }, deps);
      return answerPage(listUnusualRows(caller.organisationId, { importId }, pageRequest(query, deps), deps.pool));
    },
  }),
];
