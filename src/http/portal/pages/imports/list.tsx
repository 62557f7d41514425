import { importKinds } from "../../../../events/importEvents.js";
import { type ImportFilter, listImports } from "../../../../queries/imports/importList.js";
import type { ImportStatus } from "../../../../queries/imports/importView.js";
import type { PageOf, SignedInVisit } from "../../page.js";
import { ButtonLink, Choice, Field } from "../../shell/form.js";
import { EmptyState, FilterForm, Pager, Table } from "../../shell/panel.js";
import { importColumns, importMarks, importsPath, isUnfinished, kindNames, Live, livePath, statusNames } from "./status.js";

const rowsPerPage = 25;
const longestReference = 200;

export const importsPage: PageOf<SignedInVisit> = {
  path: importsPath,
  access: "look",
  show: async (visit, deps) => {
    const filter = filterOf(visit.query);
    const cursor = visit.query["cursor"] || undefined;
    const page = { limit: rowsPerPage, cursor, secret: deps.signingSecret };
    const { items, nextCursor } = await listImports(visit.person.organisationId, filter, page, deps);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    return {
      title: "Imports",
      scripts: ["live.js"],
      body: (
        <>
          <Filters visit={visit} filter={filter} isFiltered={isFiltered} />
          <Live visit={visit} from={livePath} isMoving={items.some(isUnfinished)} />
          <section class="panel" aria-label="Imports" {...(cursor === undefined ? { "data-newest": "", ...asMarks(filter) } : {})}>
            <Table
              caption="Imports, newest first"
              columns={importColumns(visit)}
              rows={items}
              empty={<NoImports visit={visit} why={nextCursor !== null ? "page" : isFiltered || cursor ? "filter" : "none"} />}
              marks={importMarks}
            />
            <Pager
              of="imports"
              cursor={cursor}
              nextCursor={nextCursor}
              address={(next) => visit.links.to(importsPath, { ...filter, cursor: next })}
            />
          </section>
        </>
      ),
    };
  },
};

function filterOf(query: Readonly<Record<string, string>>): ImportFilter {
  return {
    kind: importKinds.find((kind) => kind === query["kind"]),
    status: statuses.find((status) => status === query["status"]),
    reference: query["reference"]?.trim().slice(0, longestReference) || undefined,
  };
}

const statuses = Object.keys(statusNames) as ImportStatus[];

/** For the script that adds new imports to the first page: only those that the filter lets through. */
const asMarks = ({ kind, status, reference }: ImportFilter) => ({
  "data-kind": kind ?? "",
  "data-status": status ?? "",
  "data-reference": reference?.toLowerCase() ?? "",
});

const Filters = ({ visit, filter, isFiltered }: { visit: SignedInVisit; filter: ImportFilter; isFiltered: boolean }) => (
  <FilterForm visit={visit} path={importsPath} all={isFiltered ? visit.links.to(importsPath) : undefined}>
    <Choice
      label="Kind"
      name="kind"
      value={filter.kind}
      options={[{ value: "", label: "All kinds" }, ...importKinds.map((kind) => ({ value: kind, label: kindNames[kind] }))]}
    />
    <Choice
      label="Status"
      name="status"
      value={filter.status}
      options={[{ value: "", label: "Every status" }, ...statuses.map((status) => ({ value: status, label: statusNames[status] }))]}
    />
    <Field label="Reference" name="reference" value={filter.reference} maxlength={longestReference} autocomplete="off" required={false} />
  </FilterForm>
);

function NoImports({ visit, why }: { visit: SignedInVisit; why: "none" | "filter" | "page" }) {
  if (why === "page") return <EmptyState title="No matches on this page">Go to the next page to search older imports.</EmptyState>;
  if (why === "filter") return <EmptyState title="No imports match this filter" />;
  return (
    <EmptyState title="No imports yet">
      {visit.may("operate") ? (
        <ButtonLink to={visit.links.to("/portal/upload")} label="Upload a file" />
      ) : (
        "Files you upload and data sent through the API appear here."
      )}
    </EmptyState>
  );
}
