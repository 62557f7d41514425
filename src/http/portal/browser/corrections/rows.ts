// What the page of rejected rows is told by the server, and what it keeps of a row. The server draws the first rows with the same words.

export interface Column {
  readonly name: string;
  readonly heading: string;
  readonly required: boolean;
  readonly time: boolean;
  readonly number: boolean;
}

export interface Settings {
  readonly rowsUrl: string;
  readonly base: string;
  readonly importBase: string;
  /** The address of server-sent events, which tell that an import has changed. */
  readonly liveUrl: string;
  /** Organisation and member: whose unsent edits these are. */
  readonly owner: string;
  readonly kind: "shipments" | "activities";
  readonly state: "open" | "submitted" | "corrected" | "dismissed";
  /** The rows are open, and the person may correct them. */
  readonly editable: boolean;
  /** Rows of several imports are shown: each names its own. */
  readonly withFile: boolean;
  readonly columns: readonly Column[];
  /** The fields that values are suggested for. */
  readonly suggested: readonly string[];
}

export interface Verdict {
  readonly reason: string;
  readonly faulty: readonly string[];
}

/** Why a row cannot be edited on this page, and who has it. */
export interface RowClosure {
  /** `open again`: was reopened on this page, which lists dismissed rows. `open`: was reopened elsewhere, so it can be edited. */
  readonly state: "submitted" | "corrected" | "dismissed" | "superseded" | "withdrawn" | "open again" | "open";
  /** The import that corrects it, or that has written its shipment since. */
  readonly otherId: string | null;
  readonly otherName: string | null;
  readonly by: string | null;
  readonly note: string | null;
  /** When this was done on this page. Undefined once the tables have shown it. */
  since?: number | undefined;
}

/** As the server names a row of one import. */
export type ClosedRow = RowClosure & { readonly row: number };

/** A row as the server has handed it to the page. */
export interface ServedRow {
  readonly importId: string;
  readonly row: number;
  /** The first of the rows that are corrected together. */
  readonly firstRow: number;
  /** The element of a JSON push that it goes back to: two with one shipment id are two shipments. Null in a file. */
  readonly element: number | null;
  /** Of the reason that it counts under. */
  readonly reasonKey: string;
  readonly error: string;
  readonly values: Readonly<Record<string, string>>;
  readonly faulty: readonly string[];
  /** By today's rules; null where it would be accepted. Only of open rows. */
  readonly verdictToday?: Verdict | null;
  readonly closure?: RowClosure;
  /** Of faulty dates such as 03/04/2026: what they are as day first, and as month first. */
  readonly dates?: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;
}

export interface Row {
  readonly served: ServedRow;
  readonly key: string;
  /** By field: what stands there instead of the value in `served`. */
  readonly changed: Map<string, string>;
  /** Of the row as it stands; null where it would be accepted, undefined while it is judged. */
  verdict: Verdict | null | undefined;
  /** Counts the changes of its shipment, so that a late verdict is not taken for that of newer values. */
  version: number;
  closure: RowClosure | undefined;
  /** Its values are on their way to the server, and stay as they are until it has answered. */
  sending: boolean;
  ticked: boolean;
}

export interface Change {
  readonly row: Row;
  readonly field: string;
  readonly value: string;
}

export interface Status {
  readonly kind: "closed" | "ready" | "checking" | "wrong" | "accepted";
  readonly text: string;
  readonly faulty: readonly string[];
}

/** Fields that have a value in these rows, or lack one. */
export const usedFields = (rows: readonly Pick<ServedRow, "values" | "faulty" | "verdictToday">[]): string[] =>
  rows.flatMap(({ values, faulty, verdictToday }) => [
    ...Object.entries(values).flatMap(([name, value]) => (value.trim() === "" ? [] : [name])),
    ...faulty,
    ...(verdictToday?.faulty ?? []),
  ]);

export const neededColumns = (columns: readonly Column[], used: ReadonlySet<string>): readonly Column[] =>
  columns.filter(({ name, required }) => required || used.has(name));

export const columnClass = ({ time, number }: Column): string => (time ? "field time" : number ? "field amounts" : "field");

/** `touched`: the row, or another line of its shipment, was changed. */
export function rowStatus(
  { served, verdict, closure, sending }: Pick<Row, "served" | "verdict" | "closure" | "sending">,
  touched: boolean,
): Status {
  if (closure) return { kind: "closed", text: closureText(closure), faulty: [] };
  if (sending) return { kind: "closed", text: "Being submitted", faulty: [] };
  if (verdict === null)
    return { kind: touched ? "ready" : "accepted", text: touched ? "Ready to submit" : "Would be accepted now", faulty: [] };
  if (verdict === undefined && touched) return { kind: "checking", text: "Checking", faulty: [] };
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

/** An import as people know it; one without a reference by the beginning of its id. */
export const importText = (importId: string, name: string | null): string => name?.trim() || `import ${importId.slice(0, 8)}`;

/** As many as one correction may have. */
export const rowsPerChunk = 500;

/** Chunks of whole groups, each of one import, with at most `rowsPerChunk` rows and `mostBytes` bytes in all. */
export function chunksOfGroups<Each>(
  groups: readonly (readonly Each[])[],
  importOf: (row: Each) => string,
  mostBytes = Number.POSITIVE_INFINITY,
  bytesOf: (row: Each) => number = () => 0,
): Each[][][] {
  const chunks: { readonly importId: string; readonly groups: Each[][]; rows: number; bytes: number }[] = [];
  for (const group of groups) {
    const importId = group[0] ? importOf(group[0]) : "";
    const bytes = group.reduce((sum, row) => sum + bytesOf(row), 0);
    const last = chunks.findLast((chunk) => chunk.importId === importId);
    if (last && last.rows + group.length <= rowsPerChunk && last.bytes + bytes <= mostBytes) {
      last.groups.push([...group]);
      last.rows += group.length;
      last.bytes += bytes;
    } else chunks.push({ importId, groups: [[...group]], rows: group.length, bytes });
  }
  return chunks.map((chunk) => chunk.groups);
}
