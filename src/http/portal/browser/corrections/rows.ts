// What the server sends to the page of rejected rows, and the page's state of each row. The server uses this file too: it renders rows.

export interface GridColumn {
  readonly name: string;
  readonly heading: string;
  readonly required: boolean;
  readonly time: boolean;
  readonly number: boolean;
}

export interface Settings {
  readonly rowsUrl: string;
  /** The addresses below which the grid's requests go, and below which each import has its page. */
  readonly base: string;
  readonly importBase: string;
  /** The address of server-sent events, which tell that an import has changed. */
  readonly liveUrl: string;
  /** Names the organisation and the member whose unsent edits this browser stores. */
  readonly owner: string;
  readonly kind: "shipments" | "activities";
  readonly state: "open" | "submitted" | "corrected" | "dismissed";
  /** Whether the rows are open and the person may correct them. */
  readonly editable: boolean;
  /** Whether the grid has a column for each row's import, because the page is not about a single import. */
  readonly withFile: boolean;
  readonly columns: readonly GridColumn[];
  /** The names of the fields for which the server suggests values. */
  readonly suggested: readonly string[];
}

export interface Verdict {
  readonly reason: string;
  readonly faulty: readonly string[];
}

/** Why a row can no longer be edited on this page, and who caused that (`by`). */
export interface RowClosure {
  /** `open again`: the row was reopened on this page, where it stays listed. `open`: the server says that the row can be edited again. */
  readonly state: "submitted" | "corrected" | "dismissed" | "superseded" | "withdrawn" | "open again" | "open";
  /** The import that corrects the row, or that has recorded the row's shipment since. */
  readonly otherId: string | null;
  readonly otherName: string | null;
  readonly by: string | null;
  readonly note: string | null;
  /** When a person did this on this page, on performance.now()'s clock. Undefined when others did it, or the server has confirmed it. */
  doneAtMs?: number | undefined;
}

/** A closed row of an answer about one import. */
export type ClosedRow = RowClosure & { readonly row: number };

/** A row as the server sent it to the page. */
export interface ServedRow {
  readonly importId: string;
  readonly row: number;
  /** The number of the first row of those that are corrected together: the lines of a shipment. */
  readonly firstRow: number;
  /** The element of the JSON push that the row came from: two elements with one shipment id are two shipments. Null for a row of a file. */
  readonly element: number | null;
  /** The key of the reason chip whose number includes the row. */
  readonly reasonKey: string;
  readonly error: string;
  readonly values: Readonly<Record<string, string>>;
  readonly faulty: readonly string[];
  /** The verdict by today's rules; null if the row would be accepted. Only open rows have it. */
  readonly verdictToday?: Verdict | null;
  readonly closure?: RowClosure;
  /** For faulty dates such as 03/04/2026, by field: the date read with the day first, and with the month first. */
  readonly dates?: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;
}

export interface GridRow {
  readonly served: ServedRow;
  readonly key: string;
  /** By field: the value that replaces the one in `served`. */
  readonly changed: Map<string, string>;
  /** The verdict on the row's current values; null if it would be accepted, undefined while it is unknown. */
  verdict: Verdict | null | undefined;
  /** Counts the changes to the row's shipment, so that a verdict on older values is ignored. */
  version: number;
  closure: RowClosure | undefined;
  /** Whether the row is being submitted. Its values cannot change until the server has answered. */
  sending: boolean;
  /** Whether the row's check box is ticked. */
  ticked: boolean;
}

export interface Change {
  readonly row: GridRow;
  readonly field: string;
  readonly value: string;
}

export interface RowStatus {
  readonly kind: "closed" | "ready" | "checking" | "wrong" | "accepted";
  readonly text: string;
  readonly faulty: readonly string[];
}

/** The fields that have a value in these rows or are faulty, with repetitions. */
export const usedFields = (rows: readonly Pick<ServedRow, "values" | "faulty" | "verdictToday">[]): string[] =>
  rows.flatMap(({ values, faulty, verdictToday }) => [
    ...Object.entries(values).flatMap(([name, value]) => (value.trim() === "" ? [] : [name])),
    ...faulty,
    ...(verdictToday?.faulty ?? []),
  ]);

export const neededColumns = (columns: readonly GridColumn[], used: ReadonlySet<string>): readonly GridColumn[] =>
  columns.filter(({ name, required }) => required || used.has(name));

export const columnClass = ({ time, number }: GridColumn): string => (time ? "field time" : number ? "field amounts" : "field");

/** `isTouched`: whether the row, or another line of its shipment, was changed. */
export function rowStatus(
  { served, verdict, closure, sending }: Pick<GridRow, "served" | "verdict" | "closure" | "sending">,
  isTouched: boolean,
): RowStatus {
  if (closure) return { kind: "closed", text: closureText(closure), faulty: [] };
  if (sending) return { kind: "closed", text: "Being submitted", faulty: [] };
  if (verdict === null)
    return { kind: isTouched ? "ready" : "accepted", text: isTouched ? "Ready to submit" : "Would be accepted now", faulty: [] };
  if (verdict === undefined && isTouched) return { kind: "checking", text: "Checking", faulty: [] };
  const { reason, faulty } = verdict ?? { reason: served.error, faulty: served.faulty };
  return { kind: "wrong", text: reason, faulty };
}

function closureText({ state, otherId, otherName, by, note }: RowClosure): string {
  const who = by === null ? "" : ` by ${by}`;
  const other = otherId === null ? "" : `: ${importText(otherId, otherName)}`;
  switch (state) {
    case "dismissed":
      return `Dismissed${who}${note ? `: ${note}` : ""}`;
    case "open again":
      return "Open again";
    case "superseded":
      return `Replaced by a later upload of the same shipment${who}${other}`;
    case "corrected":
      return `Corrected${who}${other}`;
    case "withdrawn":
      return `Withdrawn: its import was reversed${who}`;
    case "submitted":
    case "open":
      return `Submitted${who}${other}`;
  }
}

/** The import's name, or the beginning of its id if it has none. */
export const importText = (importId: string, name: string | null): string => name?.trim() || `import ${importId.slice(0, 8)}`;

/** The most rows that one request may correct. */
export const rowsPerChunk = 500;

/** Distributes whole groups over requests (chunks). A chunk has rows of one import, at most `rowsPerChunk` rows and `maxBytes` bytes. */
export function chunksOfGroups<Item>(
  groups: readonly (readonly Item[])[],
  importOf: (row: Item) => string,
  maxBytes = Number.POSITIVE_INFINITY,
  bytesOf: (row: Item) => number = () => 0,
): Item[][][] {
  const chunks: { readonly importId: string; readonly groups: Item[][]; rows: number; bytes: number }[] = [];
  for (const group of groups) {
    const importId = group[0] ? importOf(group[0]) : "";
    const bytes = group.reduce((sum, row) => sum + bytesOf(row), 0);
    const last = chunks.findLast((chunk) => chunk.importId === importId);
    if (last && last.rows + group.length <= rowsPerChunk && last.bytes + bytes <= maxBytes) {
      last.groups.push([...group]);
      last.rows += group.length;
      last.bytes += bytes;
    } else chunks.push({ importId, groups: [[...group]], rows: group.length, bytes });
  }
  return chunks.map((chunk) => chunk.groups);
}
