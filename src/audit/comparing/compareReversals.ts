import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import { storable } from "../canonical.js";
import type { AuditedImport } from "../evidence/evidence.js";
import { type Reversal, type ReversalEvidence, setOf } from "../evidence/reversalEvidence.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";
import type { Scope } from "./compareCorrections.js";

const columns = [
  ...["reversal_id", "position", "import_id", "import_position", "organisation_id", "is_all", "rows", "shipments", "count", "reason"],
  ...["reversed_by", "included_in", "at"],
];

const query = `select ${columns.join(", ")} from reversals
                where ($1::text is null or organisation_id = $1) and ($2::uuid is null or import_id = $2)`;

interface Audited {
  readonly reversals: ReversalEvidence;
  readonly imports: ReadonlyMap<string, AuditedImport>;
}

/** Compares the table `reversals` with the streams. Returns how many reversals it has. */
export async function compareReversals(
  client: PoolClient,
  { reversals, imports }: Audited,
  { organisationId, importId: only }: Scope,
  findings: Findings,
): Promise<number> {
  const positions = new Map([...imports].map(([position, { importId }]) => [importId, position]));
  const missing = new Map<string, Reversal>();
  for (const reversal of [...reversals.values()].flatMap(({ events }) => events)) {
    const { reversalId } = reversal.data;
    if (missing.has(reversalId)) findings.add({ ...ownerOf(reversal), sentence: `stream of reversals: ${reversalId} stands there twice` });
    else missing.set(reversalId, reversal);
  }
  let total = 0;
  for await (const [id, ...found] of readRows(client, query, [organisationId ?? null, only ?? null])) {
    total += 1;
    const reversal = missing.get(String(id));
    missing.delete(String(id));
    if (!reversal) {
      findings.add({ organisationId, importId: String(found[1]), sentence: `reversals has ${id}, which no stream says` });
      continue;
    }
    const expected = rowOf(reversal, positions.get(reversal.data.importId));
    const wrong = columns.slice(1).filter((_, index) => shown(found[index]) !== shown(expected[index]));
    if (wrong.length > 0) findings.add({ ...ownerOf(reversal), sentence: `reversals has another ${wrong.join(", ")} of ${id}` });
  }
  for (const [id, reversal] of missing) findings.add({ ...ownerOf(reversal), sentence: `reversals lacks ${id}` });
  return total;
}

const ownerOf = ({ metadata, data }: Reversal) => ({ organisationId: metadata.organisation, importId: data.importId });

const rowOf = ({ position, data, metadata }: Reversal, importPosition: string | undefined): unknown[] => [
  position.commit,
  data.importId,
  importPosition,
  metadata.organisation,
  data.rows === "all",
  data.rows === "all" ? null : setOf(data.rows),
  data.shipments ? setOf(data.shipments) : null,
  data.count,
  storable(data.reason),
  actorOf(data.by),
  data.includedIn?.reversalId ?? null,
  new Date(data.at),
];

const shown = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));
