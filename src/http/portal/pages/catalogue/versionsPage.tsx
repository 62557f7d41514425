import { organisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type CatalogueVersion, listCatalogueVersions } from "../../../../queries/organisations/catalogueVersions.js";
import { catalogueAt, principalNames } from "../../../../queries/organisations/organisations.js";
import type { AnswerDefinition, SignedInVisit } from "../../pageDefinition.js";
import { countInWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState } from "../../shell/panel.js";
import type { Column } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { capitalised, cataloguePath, changesPath, downloadPath, downloadRoute, versionsPath } from "./addresses.js";

export const versionsList = listPage<CatalogueVersion>({
  path: versionsPath,
  access: "look",
  title: "Versions of the catalogue",
  crumbs: [["Catalogue", cataloguePath]],
  of: ["version", "versions"],
  fileName: "catalogue-versions",
  caption: "Versions, newest first",
  query: (visit, page, deps) => listCatalogueVersions(visit.person.organisationId, page, deps),
  columns: async (visit, { pool }) => {
    const nameOf = await principalNames(visit.person.organisationId, pool);
    return columns(visit, (by) => (by ? nameOf(by) : "Not known yet"));
  },
  empty: () => <EmptyState title="No versions yet" />,
});

const columns = (visit: SignedInVisit, nameOf: (by: CatalogueVersion["by"]) => string): readonly Column<CatalogueVersion>[] => [
  { key: "version", heading: "Version", names: true, value: ({ version }) => version },
  {
    ...{ key: "applied", heading: "Applied", value: ({ appliedAt }) => appliedAt },
    cell: ({ appliedAt }) => <Time visit={visit} at={appliedAt} otherwise="Not known yet" />,
  },
  { key: "by", heading: "By", value: ({ by }) => capitalised(nameOf(by)) },
  {
    ...{ key: "changes", heading: "What changed", value: ({ changes }) => changes.join("; ") },
    cell: (version) => <ChangesCell visit={visit} version={version} />,
  },
  {
    heading: "File",
    number: true,
    cell: ({ version }) => (
      <a href={visit.links.to(downloadPath(version))} download aria-label={`Download version ${version}`}>
        Download
      </a>
    ),
  },
];

function ChangesCell({ visit, version: { version, changes, changeCount } }: { visit: SignedInVisit; version: CatalogueVersion }) {
  const address = visit.links.to(changesPath, { from: String(version - 1), to: String(version) });
  if (version === 1) return <span>The first version</span>;
  if (changeCount === 0) return <a href={address}>Show changes</a>;
  const [first = "", ...more] = changes;
  return (
    <span class="version-changes">
      <span>{first}</span>
      {more.map((change) => (
        <span>{change}</span>
      ))}
      <a href={address} aria-description={`What version ${version} changed`}>
        {changeCount > changes.length ? `All ${countInWords(changeCount, "change", "changes")}` : "Show changes"}
      </a>
    </span>
  );
}

/** A version's number from an address. */
export function versionIn(text: string | undefined, label: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text?.trim() ?? "")) throw new Rejection("invalid", `${label} must be the number of a version`);
  return Number(text);
}

/** The organisation file, as `org apply` takes it and as it was applied, with its fields in the usual order. */
export const downloadAnswer: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: downloadRoute,
  access: "look",
  answer: async (visit, { pool }) => {
    const { organisationId } = visit.person;
    const version = versionIn(visit.query["version"], "Version");
    const file = await catalogueAt(organisationId, version, pool);
    if (!file) throw new Rejection("notFound", `There is no version ${version} of the catalogue`);
    const { context: c } = visit;
    return c.body(`${JSON.stringify(organisationFile.parse(file), null, 2)}\n`, 200, {
      ...c.get("answerHeaders"),
      "content-type": "application/json",
      "content-disposition": `attachment; filename="${organisationId}-version-${version}.json"`,
    });
  },
};
