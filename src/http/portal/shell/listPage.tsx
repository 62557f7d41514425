// Makes a page with filters, sorting and paging, and its downloads, from one definition of a list.
import type { Child } from "hono/jsx";
import type { Action } from "../../../domain/members.js";
import type { PageRequest, RowPage } from "../../../queries/rowPage.js";
import { download, downloadTable } from "../downloads.js";
import { defineAnswer, definePage, type PageHead, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import { type Chip, Chips, chipQuery, hasFilters } from "./chips.js";
import { jsonValue } from "./formats.js";
import { type Noun, Pager, pageInMemory, parseOffset, type Query, rowsPerPage, withQuery } from "./markup.js";
import { type Column, cellsInFile, isData, sortRows, Table } from "./table.js";

/** One page of rows, or all rows of a short list. */
export interface ListedRows<Row> extends RowPage<Row> {
  /** How many rows match the filter. `more`: counting stopped at this number. */
  readonly total?: { readonly count: number; readonly more: boolean };
}

interface List<Row> {
  readonly title: string;
  readonly crumbs?: PageHead["crumbs"];
  /** The page's path, which may have parameters such as `{importId}`. */
  readonly path: string;
  /** What a visitor's role must allow. */
  readonly access: Action;
  /** What one row is called, and several: `import`, `imports`. Downloads are named after the plural. */
  readonly noun: Noun | ((visit: SignedInVisit) => Noun);
  /** The name of the downloads, if it is not the plural. */
  readonly fileName?: string;
  readonly caption: string;
  /** Parameters besides the filters that select what the page lists. Every link of the page keeps them. */
  readonly keptParameters?: readonly string[];
  /** The list's own heading, for a page that begins with something else. */
  readonly heading?: string;
  readonly scripts?: readonly string[];
  /** The main action of the page's head. */
  readonly action?: (visit: SignedInVisit) => Child;
  /** Other parts of the page's head, such as views, and menu entries besides the downloads. */
  readonly head?: (visit: SignedInVisit, deps: PortalDeps) => Promise<Partial<PageHead>>;
  readonly filters?: (visit: SignedInVisit, deps: PortalDeps) => Awaitable<readonly Chip[]>;
  /** Reads a page of rows that match the filter in the visit's query. Throws a Rejection if the filter is invalid. */
  readonly readRows: (visit: SignedInVisit, page: PageRequest, deps: PortalDeps) => Promise<ListedRows<Row>>;
  readonly columns: (visit: SignedInVisit, deps: PortalDeps, rows: readonly Row[]) => Awaitable<readonly Column<Row>[]>;
  /** Shown without rows. `why`: the list has none, the filter matches none, or this page has none but a later page may. */
  readonly empty: (visit: SignedInVisit, why: "none" | "filter" | "page", deps: PortalDeps) => Awaitable<Child>;
  readonly isMuted?: (row: Row) => boolean;
  readonly rowAttributes?: (row: Row) => Readonly<Record<string, string>>;
  /** Attributes of the list's panel, for the page's script. */
  readonly panelAttributes?: (visit: SignedInVisit) => Readonly<Record<string, string>>;
  /** The confirmation that the page asks for, if any. */
  readonly question?: (visit: SignedInVisit, deps: PortalDeps, rows: readonly Row[]) => Awaitable<Child>;
  readonly aboveTable?: (visit: SignedInVisit, deps: PortalDeps, rows: readonly Row[]) => Awaitable<Child>;
  readonly belowTable?: (visit: SignedInVisit, deps: PortalDeps) => Awaitable<Child>;
}

type Awaitable<Value> = Promise<Value> | Value;

/** The path of the downloads without the extension. An extension after a final parameter would be read as part of the parameter. */
const filesPath = (path: string) => (path.endsWith("}") ? `${path}/rows` : path);

const nounOf = <Row,>({ noun }: List<Row>, visit: SignedInVisit): Noun => (typeof noun === "function" ? noun(visit) : noun);

/** A longer list is read page by page and shown in its own order. People cannot sort it. */
const maxSortedRows = 2_000;
const batchRows = 500;

/** Makes a `Subject` of the list's page and its downloads. Its extra property `page` is for the forms on the page. */
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
  const { title, crumbs, scripts, action, filters, caption, empty, question, aboveTable, belowTable } = list;
  const chips = (await filters?.(visit, deps)) ?? [];
  const { query } = visit;
  const noun = nounOf(list, visit);
  const [path, files] = [list.path, filesPath(list.path)].map((each) => fillParameters(each, visit)) as [string, string];
  const [cursor, sort] = [query["cursor"] || undefined, query["sort"] ?? ""];
  const firstRead = await list.readRows(visit, { limit: rowsPerPage, cursor, secret: deps.signingSecret }, deps);
  const isShort = cursor === undefined && firstRead.nextCursor === null;
  const canSort = isShort || (firstRead.total !== undefined && !firstRead.total.more && firstRead.total.count <= maxSortedRows);
  /** All rows, if the list is short or sorted: they are divided into pages in memory. Otherwise the query reads one page. */
  const sortableRows = isShort ? firstRead.items : sort !== "" && canSort ? await allRows(list, visit, deps) : undefined;
  const columns = await list.columns(visit, deps, sortableRows ?? firstRead.items);
  const keptQuery = Object.fromEntries((list.keptParameters ?? []).map((name) => [name, query[name]]));
  const filter = { ...keptQuery, ...chipQuery(query, chips) };
  const head = await list.head?.(visit, deps);
  const pathOf = (more: Query) => withQuery(path, { ...filter, sort: sort || undefined, ...more });
  const { nextCursor } = firstRead;
  const start = parseOffset(query["after"]);
  const end = start + firstRead.items.length;
  const total = nextCursor === null ? { count: end, more: false } : firstRead.total;
  const { rows, pager } = sortableRows
    ? pageInMemory(visit, sortRows(sortableRows, columns, sort), { noun, path: pathOf({}), name: "after" })
    : {
        rows: firstRead.items,
        pager: (
          <Pager
            plural={noun[1]}
            isFirst={start === 0 && cursor === undefined}
            nextCursor={nextCursor}
            path={(next) => pathOf(next === undefined ? {} : { cursor: next, after: String(end) })}
            range={{ start, shown: firstRead.items.length, total }}
          />
        ),
      };
  const downloads = formats.map((format) => ({ label: `Download ${format.toUpperCase()}`, to: withQuery(`${files}.${format}`, filter) }));
  const why = nextCursor !== null ? "page" : hasFilters(query, chips) || cursor !== undefined ? "filter" : "none";
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
        {await aboveTable?.(visit, deps, rows)}
        {list.heading === undefined ? null : <h2>{list.heading}</h2>}
        <Chips path={path} chips={chips} keptQuery={{ ...keptQuery, sort: sort || undefined }} />
        <section class="panel list" aria-label={list.heading ?? title} {...list.panelAttributes?.(visit)}>
          <Table
            caption={caption}
            columns={columns}
            rows={rows}
            isMuted={list.isMuted}
            rowAttributes={list.rowAttributes}
            empty={rows.length === 0 ? await empty(visit, why, deps) : undefined}
            sorting={canSort && rows.length > 1 ? { by: sort, path: (by) => withQuery(path, { ...filter, sort: by }) } : undefined}
          />
          {pager}
        </section>
        {await belowTable?.(visit, deps)}
      </>
    ),
  };
}

/** Fills the visit's parameters into the list's path. The visit's own path will not do: it may be that of a refused form on the page. */
const fillParameters = (path: string, { params }: SignedInVisit) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");

async function* batches<Row>(list: List<Row>, visit: SignedInVisit, deps: PortalDeps): AsyncGenerator<readonly Row[]> {
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page: ListedRows<Row> = await list.readRows(visit, { limit: batchRows, cursor, secret: deps.signingSecret }, deps);
    yield page.items;
    cursor = page.nextCursor;
  }
}

async function allRows<Row>(list: List<Row>, visit: SignedInVisit, deps: PortalDeps): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const some of batches(list, visit, deps)) {
    rows.push(...some);
    if (rows.length > maxSortedRows) break;
  }
  return rows;
}

/** Downloads all rows that match the filter, not only the current page, in the list's own order. */
async function downloadList<Row>(list: List<Row>, format: (typeof formats)[number], visit: SignedInVisit, deps: PortalDeps) {
  const { timezone } = visit.person;
  const [, plural] = nounOf(list, visit);
  const inBatches = async function* () {
    for await (const rows of batches(list, visit, deps)) yield { columns: (await list.columns(visit, deps, rows)).filter(isData), rows };
  };
  const name = list.fileName ?? plural.replaceAll(" ", "-");
  if (format === "json") {
    const pieces = async function* () {
      let before = "[\n";
      for await (const { columns, rows } of inBatches()) {
        const texts = rows.map((row) => JSON.stringify(Object.fromEntries(columns.map(({ key, value }) => [key, jsonValue(value(row))]))));
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
    sheet: plural,
    format,
    table: () => ({
      columns,
      rows: (async function* () {
        for await (const { columns, rows } of inBatches()) yield cellsInFile(columns, rows, timezone);
      })(),
    }),
  });
}
