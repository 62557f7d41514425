import type { PoolClient } from "pg";
import { type ActivitySums, addTotal, type DigestOfSums, digestOfSums } from "../evidence/digests.js";
import type { AuditedImport } from "../evidence/evidence.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";

const query = `select import_position, customer_id, warehouse_code, charge_code, half_hour, quantity::text, row_count, row_numbers, organisation_id
                 from activity_totals where $1::text is null or organisation_id = $1 order by import_position`;

/** Returns how many totals the table has. */
export async function compareTotals(
  client: PoolClient,
  imports: ReadonlyMap<string, AuditedImport>,
  organisationId: string | undefined,
  findings: Findings,
): Promise<number> {
  const waiting = new Map([...imports].filter(([, audited]) => isSummed(audited)));
  let total = 0;
  const compare = (position: string, organisations: ReadonlySet<string>, sums: ActivitySums) => {
    const audited = waiting.get(position);
    waiting.delete(position);
    total += sums.size;
    const held = digestOfSums(sums);
    const whose = audited ?? imports.get(position);
    const expected = audited?.totals ?? nothing;
    const own = whose?.requested.data.organisationId;
    const finding = { organisationId: own, importId: whose?.importId };
    if ([...organisations].some((id) => id !== own))
      findings.add({ ...finding, sentence: "activity_totals has them for another organisation" });
    if (held.digest !== expected.digest) findings.add({ ...finding, sentence: difference(held, expected) });
  };
  for await (const { position, organisations, sums } of byImport(client, organisationId)) compare(position, organisations, sums);
  for (const [position, audited] of [...waiting]) compare(position, new Set([audited.requested.data.organisationId]), new Map());
  for (const sentence of await groupFaults(client, organisationId)) findings.add({ organisationId, importId: undefined, sentence });
  return total;
}

const nothing = digestOfSums(new Map());

const isSummed = ({ requested, ended }: AuditedImport) => requested.data.kind === "activities" && ended?.type === "ImportCompleted";

function difference(held: DigestOfSums, expected: DigestOfSums): string {
  const [found, wanted] = [held, expected].map(({ totals, rows, quantity }) => `${totals} totals of ${rows} rows, ${quantity} in all`);
  return found === wanted
    ? `activity_totals has other totals than the stream, though ${found}`
    : `activity_totals has ${found}; the stream has ${wanted}`;
}

async function* byImport(client: PoolClient, organisationId: string | undefined) {
  let current: { readonly position: string; readonly organisations: Set<string>; readonly sums: ActivitySums } | undefined;
  for await (const columns of readRows(client, query, [organisationId ?? null])) {
    const position = String(columns[0]);
    if (current?.position !== position) {
      if (current) yield current;
      current = { position, organisations: new Set(), sums: new Map() };
    }
    current.organisations.add(String(columns[8]));
    addTotal(current.sums, columns.slice(1, 8));
  }
  if (current) yield current;
}

/** activity_groups must have exactly the groups that occur in activity_totals. */
async function groupFaults(client: PoolClient, organisationId: string | undefined): Promise<string[]> {
  const group = "organisation_id, customer_id, warehouse_code, charge_code";
  const ofTotals = `select distinct ${group} from activity_totals`;
  const { rows } = await client.query<{ missing: number; added: number }>(
    `select (select count(*)::int from (${ofTotals} except select ${group} from activity_groups) as one where $1::text is null or organisation_id = $1) as missing,
            (select count(*)::int from (select ${group} from activity_groups except ${ofTotals}) as other where $1::text is null or organisation_id = $1) as added`,
    [organisationId ?? null],
  );
  const { missing = 0, added = 0 } = rows[0] ?? {};
  return [
    ...(missing > 0 ? [`activity_groups lacks ${missing} groups of activity_totals`] : []),
    ...(added > 0 ? [`activity_groups has ${added} groups that activity_totals lacks`] : []),
  ];
}
