import { cancelImport } from "../../../commands/imports/endImport.js";
import { listImports } from "../../../queries/imports/importList.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../listQuery.js";
import { checkStoredReport } from "../missingReports.js";
import { defineRoute, extensionGet, type Route } from "../route.js";
import { importBody, importKindRoutes, importParams, importSchema } from "./importsShape.js";

export const importStatusRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "GET",
    path: `${base}/{importId}`,
    operationId: `check${name}Import`,
    summary: `Check a ${noun} import`,
    description: "Poll about every 30 seconds. Each answer has a new link to the error report, which expires after one hour.",
    tag,
    scope: "read",
    request: { params: importParams },
    responses: { 200: { description: "The import", schema: importSchema }, 404: { description: "No such import in the organisation" } },
    handler: async ({ params, caller }, deps) => {
      const { view } = await requireImport(caller.organisationId, { kind, importId: params.importId }, deps);
      if (view.reportKey !== null) checkStoredReport(deps, view.importId, view.reportKey);
      return { status: 200, body: await importBody(view, deps, caller.now()) };
    },
  }),
);

const importPageSchema = pageSchema(importSchema, "Imports");

export const importListRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    ...extensionGet,
    path: base,
    operationId: `list${name}Imports`,
    summary: `List ${noun} imports, newest first`,
    tag,
    request: { query: pageQuery },
    responses: {
      200: { description: "A page of imports", schema: importPageSchema },
      400: { description: "Malformed cursor or limit" },
    },
    handler: ({ query, caller }, deps) =>
      answerPage(listImports(caller.organisationId, { kind }, pageRequest(query, deps), deps), (view) =>
        importBody(view, deps, caller.now()),
      ),
  }),
);

export const importCancelRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/cancel`,
    operationId: `cancel${name}Import`,
    summary: `Cancel a ${noun} import`,
    description: "A cancelled import has written nothing. Cancelling it again changes nothing.",
    tag,
    scope: kind,
    extension: true,
    request: { params: importParams },
    responses: {
      200: { description: "The import as it is now", schema: importSchema },
      404: { description: "No such import in the organisation" },
      409: { description: "The import has already completed or failed" },
    },
    handler: async ({ params: { importId }, caller }, deps) => {
      const { organisationId, by, requestId } = caller;
      await requireImport(caller.organisationId, { kind, importId }, deps);
      await cancelImport(deps, { organisationId, importId, kind, by, requestId, now: caller.now() });
      const { view } = await requireImport(caller.organisationId, { kind, importId }, deps);
      return { status: 200, body: await importBody(view, deps, caller.now()) };
    },
  }),
);
