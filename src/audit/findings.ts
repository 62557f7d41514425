/** A difference that an audit found. The first ones are kept as sentences; all are counted. */
export interface Finding {
  readonly organisationId?: string | undefined;
  readonly importId?: string | undefined;
  readonly sentence: string;
}

export interface Findings {
  readonly first: readonly Finding[];
  readonly count: number;
  readonly byOrganisation: ReadonlyMap<string, number>;
  add(finding: Finding, count?: number): void;
  /** Counts findings that are not shown, those of each organisation too. */
  addCount(count: number, byOrganisation: ReadonlyMap<string, number>): void;
}

/** A value as a finding shows it. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

const shown = 20;

export function newFindings(): Findings {
  const first: Finding[] = [];
  const byOrganisation = new Map<string, number>();
  let total = 0;
  const countOf = (organisationId: string, count: number) =>
    byOrganisation.set(organisationId, (byOrganisation.get(organisationId) ?? 0) + count);
  return {
    first,
    byOrganisation,
    get count() {
      return total;
    },
    add(finding, count = 1) {
      total += count;
      if (first.length < shown) first.push(finding);
      const { organisationId } = finding;
      if (organisationId !== undefined) countOf(organisationId, count);
    },
    addCount(count, counts) {
      total += count;
      for (const [organisationId, each] of counts) countOf(organisationId, each);
    },
  };
}
