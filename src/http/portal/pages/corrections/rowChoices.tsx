// Which rows the page shows: of shipments or activities, in which state, of which import, rejected for which reason.

import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import type { OpenRowCount } from "../../../../queries/rejectedRows/openRows.js";
import { type GroupState, groupStates, type RejectionGroup, rejectionGroups } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { groupItems } from "../../groupItems.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { type Chip, Chips } from "../../shell/chips.js";
import { countInWords } from "../../shell/formats.js";
import { Link } from "../../shell/link.js";
import { Amount } from "../../shell/values.js";
import { kindNames } from "../imports/importStatus.js";
import { type Counts, correctionsPath, correctionsPathOf, type Filter } from "./correctionsFilter.js";

interface RowGroup {
  /** The reason's key, or the import's id. */
  readonly key: string;
  readonly name: string;
  readonly rows: number;
}

interface Groups {
  /** Of the import that the filter names, or of all: the most frequent first. */
  readonly reasons: readonly RowGroup[];
  /** The imports that have such rows, the latest first. */
  readonly imports: readonly RowGroup[];
  /** There are more groups than were read: the counts are too low. */
  readonly more: boolean;
}

/** Groups of a reason and an import that are read for one page. */
const mostGroups = 1_000;
const mostImports = 100;

export async function readGroups(visit: SignedInVisit, { kind, state, importId }: Filter, { pool }: PortalDeps): Promise<Groups> {
  const read = (only: string | undefined) =>
    rejectionGroups(visit.person.organisationId, { kind, state, importId: only }, mostGroups, pool);
  const [all, own] = await Promise.all([read(undefined), importId === undefined ? undefined : read(importId)]);
  const { groups, more } = own ?? all;
  const reasons = grouped(groups, ({ reasonKey, reason }) => [reasonKey, reason]).toSorted((one, other) => other.rows - one.rows);
  const imports = grouped(all.groups, ({ importId: id, sourceDetails }) => [id, sourceDetails]);
  return { reasons, imports: imports.slice(0, mostImports), more };
}

/** In the order of their first groups. */
function grouped(groups: readonly RejectionGroup[], by: (group: RejectionGroup) => readonly [key: string, name: string]): RowGroup[] {
  return [...groupItems(groups, (group) => by(group)[0])].map(([key, some]) => ({
    key,
    name: by(some[0])[1],
    rows: some.reduce((sum, { rows }) => sum + rows, 0),
  }));
}

const stateNames: Readonly<Record<GroupState, string>> = {
  open: "Open",
  submitted: "Submitted",
  corrected: "Corrected",
  dismissed: "Dismissed",
};

interface ChoicesProps {
  readonly visit: SignedInVisit;
  readonly filter: Filter;
  readonly reference: string | undefined;
  readonly counts: Counts;
  readonly imports: readonly RowGroup[];
}

/** The script makes each group one stop of the Tab key, and keeps the numbers right while rows change their states. */
export function Choices({ visit, filter, reference, counts, imports }: ChoicesProps) {
  const { kind, state, importId } = filter;
  const importChip: Chip = {
    name: "import",
    label: "Import",
    kind: "choice",
    all: "All imports",
    gone: reference ?? "",
    options: imports.map(({ key, name, rows }) => ({ value: key, label: `${name} (${countInWords(rows, "row")})` })),
  };
  return (
    <div class="row-choices">
      {importId === undefined ? (
        <div role="toolbar" aria-label="Kind of rows" class="segments" data-rove>
          {importKinds.map((each) => (
            <Tab visit={visit} to={{ kind: each, state }} count={counts[each][state]} isCurrent={each === kind} kind={each} />
          ))}
        </div>
      ) : null}
      <div role="toolbar" aria-label="State of rows" class="segments" data-rove>
        {groupStates.map((each) => (
          <Tab visit={visit} to={{ kind, state: each, importId }} count={counts[kind][each]} isCurrent={each === state} state={each} />
        ))}
      </div>
      {imports.length === 0 && importId === undefined ? null : (
        <Chips path={correctionsPath} chips={[importChip]} kept={{ kind, state: state === "open" ? undefined : state }} all="" />
      )}
    </div>
  );
}

interface TabProps {
  readonly visit: SignedInVisit;
  readonly to: Partial<Filter>;
  readonly count: OpenRowCount;
  readonly isCurrent: boolean;
  /** What it is a tab of: a kind or a state. */
  readonly kind?: ImportKind;
  readonly state?: GroupState;
}

const Tab = ({ to, count: { rows, atLeast }, isCurrent, kind, state }: TabProps) => (
  <Link
    to={correctionsPathOf(to)}
    aria-current={isCurrent ? "true" : undefined}
    data-kind={kind}
    data-state={state}
    data-rows={String(rows)}
  >
    {kind === undefined ? stateNames[state ?? "open"] : kindNames[kind]} <Amount value={rows} />
    {atLeast ? "+" : ""}
  </Link>
);

interface ReasonsProps {
  readonly visit: SignedInVisit;
  readonly filter: Filter;
  readonly reasons: readonly RowGroup[];
  /** There are more than were read. */
  readonly more: boolean;
}

/** Reasons that stand side by side; the others are one step further. */
const shownReasons = 10;
const longest = 200;

/** One for each reason, the most frequent first. */
export function Reasons({ filter, reasons, more }: ReasonsProps) {
  const { reasonKey } = filter;
  if (reasons.length === 0) return null;
  const first = reasons.filter(({ key }, index) => index < shownReasons || key === reasonKey);
  const others = reasons.filter((reason) => !first.includes(reason));
  const chip = ({ key, name, rows }: Omit<RowGroup, "key"> & { key: string | undefined }) => (
    <Link
      to={correctionsPathOf({ ...filter, reasonKey: key })}
      aria-current={key === reasonKey ? "true" : undefined}
      data-reason={key ?? ""}
      data-rows={String(rows)}
      title={name}
    >
      <span class="chip-name">{name.length > longest ? `${name.slice(0, longest)}...` : name}</span> <Amount value={rows} />
      {more ? "+" : ""}
    </Link>
  );
  const sum = reasons.reduce((all, { rows }) => all + rows, 0);
  return (
    <div role="toolbar" aria-label="Reasons" class="chips" data-rove data-reasons>
      {chip({ key: undefined, name: "All reasons", rows: sum })}
      {first.map(chip)}
      {others.length === 0 ? null : (
        <details>
          <summary>{countInWords(others.length, "more reason", "more reasons")}</summary>
          <div class="chips">{others.map(chip)}</div>
        </details>
      )}
    </div>
  );
}
