import { importKinds } from "../../../../events/importEvents.js";
import { type ImportFilter, searchImports } from "../../../../queries/imports/importSearch.js";
import type { ImportStatus } from "../../../../queries/imports/importView.js";
import type { PageOf } from "../../page.js";
import { Choice, Field } from "../../shell/form.js";
import { Live } from "../../shell/live.js";
import { EmptyState, Table } from "../../shell/table.js";
import type { SignedInVisit } from "../../visit.js";
import { isInMenu } from "../navigation.js";
import { importColumns, importMarks } from "./rows.js";
import { importsPath, isUnfinished, kindNames, livePath, statusNames } from "./status.js";

const rowsPerPage = 25;
const longestReference = 200;

export const importsPage: PageOf<SignedInVisit> = {
  path: importsPath,
  access: "look",
  show: async (visit, deps) => {
    const filter = filterOf(visit.query);
    const cursor = visit.query["cursor"] || undefined;
    const page = { limit: rowsPerPage, cursor, secret: deps.signingSecret };
    const { items, nextCursor } = await searchImports(visit.person.organisationId, filter, page, deps);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    return {
      title: "Imports",
      scripts: ["live.js"],
      body: (
        <>
          <Filters visit={visit} filter={filter} isFiltered={isFiltered} />
          <Live visit={visit} from={livePath} isMoving={items.some(isUnfinished)} />
          <section class="panel" aria-label="Imports" {...(cursor === undefined ? { "data-newest": "", ...asMarks(filter) } : {})}>
            {items.length === 0 ? (
              <NoImports visit={visit} why={nextCursor !== null ? "page" : isFiltered || cursor ? "filter" : "none"} />
            ) : (
              <Table caption="Imports, the newest first" columns={importColumns(visit)} rows={items} marks={importMarks} />
            )}
            <Pages visit={visit} filter={filter} cursor={cursor} nextCursor={nextCursor} />
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
  ...{ "data-kind": kind ?? "", "data-status": status ?? "", "data-reference": reference?.toLowerCase() ?? "" },
});

interface FiltersProps {
  readonly visit: SignedInVisit;
  readonly filter: ImportFilter;
  readonly isFiltered: boolean;
}

function Filters({ visit, filter, isFiltered }: FiltersProps) {
  return (
    <form method="get" action={visit.links.to(importsPath)} class="in-line filters">
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
      <button type="submit">Filter</button>
      {isFiltered ? (
        <a class="button quiet" href={visit.links.to(importsPath)}>
          Show all
        </a>
      ) : null}
    </form>
  );
}

function NoImports({ visit, why }: { readonly visit: SignedInVisit; readonly why: "none" | "filter" | "page" }) {
  if (why === "page") return <EmptyState title="None among these">Older imports may fit: look further back.</EmptyState>;
  if (why === "filter") return <EmptyState title="No import fits this filter" />;
  const upload = "/portal/upload";
  return (
    <EmptyState title="No imports yet">
      {isInMenu(upload) && visit.may("operate") ? (
        <a class="button" href={visit.links.to(upload)}>
          Upload a file
        </a>
      ) : (
        "Files and pushes that the API takes show up here."
      )}
    </EmptyState>
  );
}

interface PagesProps extends Pick<FiltersProps, "visit" | "filter"> {
  readonly cursor: string | undefined;
  readonly nextCursor: string | null;
}

function Pages({ visit, filter, cursor, nextCursor }: PagesProps) {
  if (cursor === undefined && nextCursor === null) return null;
  const address = (next: string | undefined) => {
    const given = Object.entries({ ...filter, cursor: next }).filter(([, value]) => value !== undefined) as [string, string][];
    return visit.links.to(given.length === 0 ? importsPath : `${importsPath}?${new URLSearchParams(given)}`);
  };
  return (
    <nav class="pages" aria-label="Pages of imports">
      {cursor === undefined ? null : <a href={address(undefined)}>Newest</a>}
      {nextCursor === null ? null : <a href={address(nextCursor)}>Older</a>}
    </nav>
  );
}
