import { nameOf, sentenceOf, textOf } from "../../../../domain/log/sentences.js";
import { allOfLog } from "../../../../queries/log/logEntries.js";
import { logNames } from "../../../../queries/log/logNames.js";
import type { AnswerOf, PortalDeps, SignedInVisit } from "../../page.js";
import { type Cell, downloadTable } from "../../tableDownloads.js";
import { filterOf, logFilePath } from "./filter.js";

const columns = ["at", "by", "byKind", "byId", "what", "text", "aboutKind", "aboutId", "event", "stream", "revision", "id"];

/** Everything that fits the filter, not only the page that is shown. */
export const logDownload: AnswerOf<SignedInVisit> = {
  method: "GET",
  path: logFilePath,
  access: "log",
  answer: async (visit, deps) => {
    const filter = filterOf(visit);
    const table = () => ({ columns, rows: rowsOf(visit, filter, deps) });
    return downloadTable(visit, deps, { name: "log", sheet: "Log", format: "csv", table });
  },
};

async function* rowsOf({ person: { organisationId } }: SignedInVisit, filter: ReturnType<typeof filterOf>, { pool }: PortalDeps) {
  for await (const entries of allOfLog(organisationId, filter, pool)) {
    const names = await logNames(organisationId, entries, pool);
    yield entries.map((entry): Cell[] => {
      const { id, at, by, what, about, event, stream, revision } = entry;
      const text = textOf(sentenceOf(entry, names));
      const who = [nameOf(by, names), by.kind, by.id];
      return [at.toISOString(), ...who, what, text, about.kind, about.id, event, stream, { decimal: revision }, id];
    });
  }
}
