// A list is one definition: its page with filters, sorting and pages, and its downloads.
import type { Child } from "hono/jsx";
import type { Action } from "../../../domain/members.js";
import type { PageRequest, RowPage } from "../../../queries/rowPage.js";
import { download, downloadTable } from "../downloads.js";
import { defineAnswer, definePage, type PageHead, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import { type Chip, Chips, chipQuery, isFiltered } from "./chips.js";
import { inJson } from "./formats.js";
import { type Names, Pager, pageInMemory, type Query, rowsBefore, rowsPerPage, withQuery } from "./parts.js";
import { type Column, cellsInFile, isData, sortRows, Table } from "./table.js";

/** A page of rows, or all rows of a list that is short. */
export interface ListedRows<Row> extends RowPage<Row> {
  /** How many there are with this filter; `more` where counting ended there. */
  readonly total?: { readonly count: number; readonly more: boolean };
}

interface List<Row> {
  readonly title: string;
  readonly crumbs?: PageHead["crumbs"];
  /** May have parameters: `/portal/.../{id}`. */
  readonly path: string;
  /** What its visitors must be allowed to do. */
  readonly access: Action;
  /** One row, and many: `import`, `imports`. The downloads are named after them. */
  readonly of: Names | ((visit: SignedInVisit) => Names);
  /** The downloads' name, where it is not that of the rows. */
  readonly fileName?: string;
  readonly caption: string;
  /** Parameters that are no filters and say which list the page shows, such as `list`. Every link of the page keeps them. */
  readonly keptParameters?: readonly string[];
  /** Above the list, where the page begins with something else. */
  readonly heading?: string;
  readonly scripts?: readonly string[];
  /** The button in the page's head. */
  readonly action?: (visit: SignedInVisit) => Child;
  /** More for the page's head, such as views, and menu entries besides the downloads. */
  readonly head?: (visit: SignedInVisit, deps: PortalDeps) => Promise<Partial<PageHead>>;
  readonly filters?: (visit: SignedInVisit, deps: PortalDeps) => Awaitable<readonly Chip[]>;
  /** Reads the filter from the visit's query and throws a Rejection with a sentence where it is wrong. */
  readonly readRows: (visit: SignedInVisit, page: PageRequest, deps: PortalDeps) => Promise<ListedRows<Row>>;
  readonly columns: (visit: SignedInVisit, deps: PortalDeps, rows: readonly Row[]) => Awaitable<readonly Column<Row>[]>;
  /** Shown where there are no rows. `why`: the list is empty, the filter lets none through, or this page has none but others do. */
  readonly empty: (visit: SignedInVisit, why: "none" | "filter" | "page", deps: PortalDeps) => Awaitable<Child>;
  readonly muted?: (row: Row) => boolean;
  readonly marks?: (row: Row) => Readonly<Record<string, string>>;
  /** Attributes of the list's panel, for the page's script. */
  readonly panel?: (visit: SignedInVisit) => Readonly<Record<string, string>>;
  /** What the page asks before something is done. */
  readonly question?: (visit: SignedInVisit, deps: PortalDeps, rows: readonly Row[]) => Awaitable<Child>;
  /** What stands above and below the table. */
  readonly above?: (visit: SignedInVisit, deps: PortalDeps, rows: readonly Row[]) => Awaitable<Child>;
  readonly below?: (visit: SignedInVisit, deps: PortalDeps) => Awaitable<Child>;
}

type Awaitable<Found> = Promise<Found> | Found;

/** Of the downloads, without the ending. A page whose path ends with a parameter would be asked for the file. */
const filesPath = (path: string) => (path.endsWith("}") ? `${path}/rows` : path);

const namesOf = <Row,>({ of }: List<Row>, visit: SignedInVisit): Names => (typeof of === "function" ? of(visit) : of);

/** A longer list is read and shown in its own order only. */
const mostSorted = 2_000;
const rowsAtOnce = 500;

/** A `Subject`: the list's page and its downloads. `page` names the page once more, for the forms on it. */
export function listPage<Row>(list: List<Row>) {
  const { path, access } = list;
  const page = definePage(path, access, (visit, deps) => showList(list, visit, deps));
  const answers = formats.map((format) =>
    defineAnswer(`${filesPath(path)}.${format}`, access, (visit, deps) => downloadList(list, format, visit, deps)),
  );
  return { page, pages: [page], answers };
}

const formats = ["csv", "xlsx", "json"] as const;

async function showList<Row>(list: List<Row>, visit: SignedInVisit, deps: PortalDeps) {
  const { title, crumbs, scripts, action, filters, caption, columns, empty, muted, marks, panel, question, above, below } = list;
  const chips = (await filters?.(visit, deps)) ?? [];
  const { query } = visit;
  const of = namesOf(list, visit);
  const [path, files] = [list.path, filesPath(list.path)].map((each) => filled(each, visit)) as [string, string];
  const [cursor, sort] = [query["cursor"] || undefined, query["sort"] ?? ""];
  const first = await list.readRows(visit, { limit: rowsPerPage, cursor, secret: deps.signingSecret }, deps);
  const isShort = cursor === undefined && first.nextCursor === null;
  const maySort = isShort || (first.total !== undefined && !first.total.more && first.total.count <= mostSorted);
  /** All rows of a short list and of a sorted one, which is cut into pages here. Of other lists the query reads one page. */
  const whole = isShort ? first.items : sort !== "" && maySort ? await allRows(list, visit, deps) : undefined;
  const given = await columns(visit, deps, whole ?? first.items);
  const kept = Object.fromEntries((list.keptParameters ?? []).map((name) => [name, query[name]]));
  const filter = { ...kept, ...chipQuery(query, chips) };
  const head = await list.head?.(visit, deps);
  const pathOf = (more: Query) => withQuery(path, { ...filter, sort: sort || undefined, ...more });
  const { nextCursor } = first;
  const start = rowsBefore(query["after"]);
  const end = start + first.items.length;
  const total = nextCursor === null ? { count: end, more: false } : first.total;
  const { rows, pager } = whole
    ? pageInMemory(visit, sortRows(whole, given, sort), { of, path: pathOf({}), name: "after" })
    : {
        rows: first.items,
        pager: (
          <Pager
            of={of[1]}
            isFirst={start === 0 && cursor === undefined}
            nextCursor={nextCursor}
            path={(next) => pathOf(next === undefined ? {} : { cursor: next, after: String(end) })}
            range={{ start, shown: first.items.length, total }}
          />
        ),
      };
  const downloads = formats.map((format) => ({ label: `Download ${format.toUpperCase()}`, to: withQuery(`${files}.${format}`, filter) }));
  const why = nextCursor !== null ? "page" : isFiltered(query, chips) || cursor !== undefined ? "filter" : "none";
  return {
    title,
    ...(crumbs ? { crumbs } : {}),
    ...(scripts ? { scripts } : {}),
    action: action?.(visit),
    ...head,
    menu: [...(rows.length === 0 ? [] : downloads), ...(head?.menu ?? [])],
    question: await question?.(visit, deps, rows),
    body: (
      <>
        {await above?.(visit, deps, rows)}
        {list.heading === undefined ? null : <h2>{list.heading}</h2>}
        <Chips path={path} chips={chips} kept={{ ...kept, sort: sort || undefined }} />
        <section class="panel list" aria-label={list.heading ?? title} {...panel?.(visit)}>
          <Table
            caption={caption}
            columns={given}
            rows={rows}
            muted={muted}
            marks={marks}
            empty={rows.length === 0 ? await empty(visit, why, deps) : undefined}
            sorting={maySort && rows.length > 1 ? { by: sort, path: (by) => withQuery(path, { ...filter, sort: by }) } : undefined}
          />
          {pager}
        </section>
        {await below?.(visit, deps)}
      </>
    ),
  };
}

/** The path with the visit's parameters: a form that was refused shows the page under its own path. */
const filled = (path: string, { params }: SignedInVisit) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");

async function* batches<Row>(list: List<Row>, visit: SignedInVisit, deps: PortalDeps): AsyncGenerator<readonly Row[]> {
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page: ListedRows<Row> = await list.readRows(visit, { limit: rowsAtOnce, cursor, secret: deps.signingSecret }, deps);
    yield page.items;
    cursor = page.nextCursor;
  }
}

async function allRows<Row>(list: List<Row>, visit: SignedInVisit, deps: PortalDeps): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const some of batches(list, visit, deps)) {
    rows.push(...some);
    if (rows.length > mostSorted) break;
  }
  return rows;
}

/** Everything that fits the filter, not only the page that is shown, in the list's own order. */
async function downloadList<Row>(list: List<Row>, format: (typeof formats)[number], visit: SignedInVisit, deps: PortalDeps) {
  const { timezone } = visit.person;
  const of = namesOf(list, visit);
  const inBatches = async function* () {
    for await (const rows of batches(list, visit, deps)) yield { columns: (await list.columns(visit, deps, rows)).filter(isData), rows };
  };
  const name = list.fileName ?? of[1].replaceAll(" ", "-");
  if (format === "json") {
    const pieces = async function* () {
      let before = "[\n";
      for await (const { columns, rows } of inBatches()) {
        const texts = rows.map((row) => JSON.stringify(Object.fromEntries(columns.map(({ key, value }) => [key, inJson(value(row))]))));
        if (texts.length === 0) continue;
        yield Buffer.from(before + texts.join(",\n"));
        before = ",\n";
      }
      yield Buffer.from(before === "[\n" ? "[]\n" : "\n]\n");
    };
    return download(visit, deps.downloads, { name: `${name}.json`, contentType: "application/json", pieces });
  }
  const columns = (await list.columns(visit, deps, [])).filter(isData).map(({ heading }) => heading);
  return downloadTable(visit, deps, {
    name,
    sheet: of[1],
    format,
    table: () => ({
      columns,
      rows: (async function* () {
        for await (const { columns, rows } of inBatches()) yield cellsInFile(columns, rows, timezone);
      })(),
    }),
  });
}
