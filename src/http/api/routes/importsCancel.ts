import { cancelImport } from "../../../commands/imports/cancelImport.js";
import { defineRoute, type Route } from "../route.js";
import { importBody, importKindRoutes, importParams, importSchema, requireImport } from "./importsShape.js";

export const importCancelRoutes: readonly Route[] = importKindRoutes.map(({ kind, base, tag, noun, name }) =>
  defineRoute({
    method: "POST",
    path: `${base}/{importId}/cancel`,
    operationId: `cancel${name}Import`,
    summary: `Cancel a ${noun} import`,
    description: "A cancelled import has written nothing. Cancelling it again changes nothing.",
    tag,
    extension: true,
    request: { params: importParams },
    responses: {
      200: { description: "The import as it is now", schema: importSchema },
      404: { description: "No such import in the organisation" },
      409: { description: "The import has already completed or failed" },
    },
    handler: async ({ params: { importId }, caller }, deps) => {
      const { organisationId, by, requestId, now } = caller;
      await requireImport(caller, kind, importId, deps);
      await cancelImport(deps, { organisationId, importId, kind, by, requestId, now });
      const { view } = await requireImport(caller, kind, importId, deps);
      return { status: 200, body: await importBody(view, deps, now) };
    },
  }),
);
