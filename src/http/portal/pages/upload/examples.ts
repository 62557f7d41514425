import { exampleFile } from "../../../../domain/files/exampleFile.js";
import { presentOf } from "../../../../queries/present.js";
import { usedCodes } from "../../../../queries/usedCodes.js";
import type { AnswerOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { examplePath } from "./uploadPage.js";

export const exampleAnswers = (["shipments", "activities"] as const).map(
  (kind): AnswerOf<SignedInVisit> => ({
    method: "GET",
    path: examplePath(kind),
    access: "operate",
    answer: async ({ person: { organisationId }, context }, { pool, catalogues, geography }) => {
      const { catalogueVersion, now } = await presentOf(pool, organisationId);
      const catalogue = await catalogues(organisationId, catalogueVersion);
      const text = exampleFile(kind, { catalogue, geography, now, ...(await usedCodes(pool, organisationId)) });
      return context.body(text, 200, {
        ...context.get("answerHeaders"),
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="example-${kind}.csv"`,
      });
    },
  }),
);
