// Both files of an import, by links that last as long as a browser needs to begin.

import { askForReport } from "../../../../commands/imports/storedObjects.js";
import { Rejection } from "../../../../domain/rejection.js";
import { withoutEnd } from "../../../../domain/withoutEnd.js";
import { submittedFile } from "../../../../queries/imports/importStatus.js";
import { lookUntilFound } from "../../../../timeLimit.js";
import { Problem } from "../../../server/problem.js";
import type { AnswerDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { redirect } from "../../pageResponse.js";
import { importOf } from "./importPage.js";
import { importsPath } from "./importStatus.js";
import { downloadOpenRows, isPartlyOpen } from "./openReport.js";

const linkSeconds = 300;

/** With the open rows, or with `?rows=all` as it was made when the import ended. */
const reportDownload: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: `${importsPath}/{importId}/report`,
  access: "look",
  answer: async (visit, deps) => {
    const { view } = await importOf(visit, deps);
    const { importId, reportKey } = view;
    if (reportKey === null) throw new Rejection("notFound", "This import has no error report yet, or no row was rejected");
    await untilStored(deps, importId, reportKey);
    const report = { key: reportKey, name: `rejected-rows-${importId}.xlsx` };
    const all = visit.query["rows"] === "all" || !(await isPartlyOpen(visit.person.organisationId, view, deps));
    return all ? leadTo(visit, deps, report) : downloadOpenRows(visit, deps, { view, ...report });
  },
};

const fileDownload: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: `${importsPath}/{importId}/file`,
  access: "look",
  answer: async (visit, deps) => {
    const file = await submittedFile(visit.person.organisationId, visit.params["importId"] ?? "", deps);
    if (!(await deps.objectStore.exists(file.key))) throw new Rejection("notFound", "The submitted file is no longer stored");
    return leadTo(visit, deps, file);
  },
};

export const importDownloads = [reportDownload, fileDownload];

const waitMs = 3_000;
const lookMs = 100;

/** A report that is gone from the store is made again by a worker, within seconds. */
async function untilStored({ pool, objectStore }: PortalDeps, importId: string, key: string): Promise<void> {
  const look = async () => (await objectStore.exists(key)) || undefined;
  if (await look()) return;
  await askForReport(pool, importId);
  if (!(await lookUntilFound(waitMs, look, lookMs)))
    throw new Problem("unavailable", "The error report is being prepared. Try again in a moment");
}

async function leadTo(visit: SignedInVisit, deps: PortalDeps, { key, name }: { key: string; name: string }): Promise<Response> {
  const now = await deps.organisations.now();
  const link = await deps.objectStore.link(key, { downloadName: name, expiresInSeconds: linkSeconds, now });
  return redirect(visit.context, asVisited(link, visit, deps), 302);
}

/** A link to this service itself stays on the host that the browser uses, which may not be that of PUBLIC_URL. */
function asVisited(link: string, { links }: SignedInVisit, { publicUrl }: PortalDeps): string {
  const base = withoutEnd(publicUrl, "/");
  return link.startsWith(`${base}/`) ? links.to(link.slice(base.length)) : link;
}
