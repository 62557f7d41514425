import type { PoolClient } from "pg";
import { canonical, shortDigest, storable } from "../canonical.js";
import { type Evidence, shipmentKey } from "../evidence/evidence.js";
import { addItem } from "../evidence/importFold.js";
import type { Findings } from "../findings.js";
import { readRows } from "../snapshot.js";

const query = `select organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position from shipments
                where $1::text is null or organisation_id = $1`;

/** Returns the number of shipments in the ledger. */
export async function compareShipments(
  client: PoolClient,
  { shipments, imports }: Evidence,
  organisationId: string | undefined,
  findings: Findings,
): Promise<number> {
  const sources = new Map([...imports.values()].map((audited) => [audited.importId, audited]));
  const missing = new Map(shipments);
  let total = 0;
  for await (const [organisation, shipmentId, fields, items, sourceDetails, importId, updatedAt, position] of readRows(client, query, [
    organisationId ?? null,
  ])) {
    total += 1;
    const key = shipmentKey(String(organisation), String(shipmentId));
    const expected = missing.get(key);
    missing.delete(key);
    const report = (sentence: string) =>
      findings.add({ organisationId: String(organisation), importId: expected?.importId, sentence: `shipment ${shipmentId}: ${sentence}` });
    if (!expected) {
      report("the ledger has it, but no completed import wrote it");
      continue;
    }
    const source = sources.get(expected.importId);
    const chained = (Array.isArray(items) ? items : []).reduce<string>(addItem, "");
    const wrong = [
      shortDigest(canonical(fields)) === expected.fields ? [] : ["its fields differ"],
      chained === expected.items ? [] : ["its goods lines differ"],
      importId === expected.importId && BigInt(String(position)) === expected.position ? [] : [`it is ascribed to import ${importId}`],
      sourceDetails === storable(source?.requested.data.sourceDetails ?? "") ? [] : ["its sourceDetails differ"],
      (updatedAt as Date).toISOString() === new Date(source?.ended?.data.at ?? 0).toISOString() ? [] : ["its updatedAt differs"],
    ].flat();
    if (wrong.length > 0) report(wrong.join(", "));
  }
  for (const [key, { shipmentId, importId }] of missing) {
    const [organisation] = JSON.parse(key) as [string];
    findings.add({ organisationId: organisation, importId, sentence: `shipment ${shipmentId}: it is missing from the ledger` });
  }
  return total;
}
