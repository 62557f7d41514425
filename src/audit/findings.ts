import type { Difference, Differences } from "../tableDifferences.js";

/** A difference that an audit found, with the organisation and the import that it belongs to, if any. */
export interface Finding {
  readonly organisationId?: string | undefined;
  readonly importId?: string | undefined;
  readonly sentence: string;
}

export type Findings = ReturnType<typeof newFindings>;

/** How many findings are kept as sentences, in `first`. All are counted. */
export const maxShownFindings = 20;

export function newFindings() {
  const first: Finding[] = [];
  const byOrganisation = new Map<string, number>();
  let total = 0;
  const countFor = (organisationId: string, count: number) =>
    byOrganisation.set(organisationId, (byOrganisation.get(organisationId) ?? 0) + count);
  return {
    first,
    byOrganisation,
    get count() {
      return total;
    },
    add(finding: Finding, count = 1): void {
      total += count;
      if (first.length < maxShownFindings) first.push(finding);
      const { organisationId } = finding;
      if (organisationId !== undefined) countFor(organisationId, count);
    },
    /** Counts findings that are not kept as sentences. `counts` has how many of them each organisation has. */
    addCount(count: number, counts: ReadonlyMap<string, number>): void {
      total += count;
      for (const [organisationId, each] of counts) countFor(organisationId, each);
    },
  };
}

export function addDifferences(findings: Findings, { first, count, byOrganisation }: Differences): void {
  const remaining = new Map(byOrganisation);
  for (const difference of first) {
    const { organisationId, importId } = difference;
    findings.add({ organisationId: organisationId ?? undefined, importId: importId ?? undefined, sentence: differenceText(difference) });
    if (organisationId !== null) remaining.set(organisationId, (remaining.get(organisationId) ?? 0) - 1);
  }
  findings.addCount(count - first.length, remaining);
}

const isSecret = (column: string) => /hash|sha256/.test(column);

function differenceText({ table, key, what, columns }: Difference): string {
  const rowLabel = `${table}, ${Object.entries(key)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}`;
  if (what === "missing") return `${rowLabel}: the row is missing`;
  if (what === "extra") return `${rowLabel}: the streams have no such row`;
  const values = (columns ?? []).map(({ name, live, rebuilt }) =>
    isSecret(name) ? `${name} differs` : `${name} is ${shortJson(live)}, the streams say ${shortJson(rebuilt)}`,
  );
  return `${rowLabel}: ${values.join("; ")}`;
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
