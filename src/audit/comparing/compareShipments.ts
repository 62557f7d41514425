import type { PoolClient } from "pg";
import { type StreamEvidence, shipmentKey } from "../evidence/evidence.js";
import { digestWithItem } from "../evidence/importFold.js";
import type { Findings } from "../findings.js";
import { canonical, shortDigest, storableText } from "../rowShapes.js";
import { readSnapshotRows } from "../snapshot.js";

const query = `select organisation_id, shipment_id, fields, items, source_details, import_id, updated_at, import_position from shipments
                where $1::text is null or organisation_id = $1`;

const digestOfFields = (fields: unknown): string => shortDigest(canonical(fields));
const digestOfItems = (items: unknown): string => (Array.isArray(items) ? items : []).reduce<string>(digestWithItem, "");

export async function compareShipments(
  client: PoolClient,
  { shipments, imports }: StreamEvidence,
  organisationId: string | undefined,
  findings: Findings,
): Promise<void> {
  const sources = new Map([...imports.values()].map((audited) => [audited.importId, audited]));
  const missing = new Map(shipments);
  for await (const [organisation, shipmentId, fields, items, sourceDetails, importId, updatedAt, position] of readSnapshotRows(
    client,
    query,
    [organisationId ?? null],
  )) {
    const key = shipmentKey(String(organisation), String(shipmentId));
    const expected = missing.get(key);
    missing.delete(key);
    const report = (sentence: string) =>
      findings.add({ organisationId: String(organisation), importId: expected?.importId, sentence: `shipment ${shipmentId}: ${sentence}` });
    if (!expected) {
      report("the ledger has it, but it has no version that was completed and not reversed");
      continue;
    }
    const source = sources.get(expected.importId);
    const wrong = [
      digestOfFields(fields) === expected.fields ? [] : ["its fields differ"],
      digestOfItems(items) === expected.items ? [] : ["its goods lines differ"],
      importId === expected.importId && BigInt(String(position)) === expected.position ? [] : [`it is ascribed to import ${importId}`],
      sourceDetails === storableText(source?.requested.data.sourceDetails ?? "") ? [] : ["its sourceDetails differ"],
      (updatedAt as Date).toISOString() === new Date(source?.ended?.data.at ?? 0).toISOString() ? [] : ["its updatedAt differs"],
    ].flat();
    if (wrong.length > 0) report(wrong.join(", "));
  }
  for (const [key, { shipmentId, importId }] of missing) {
    const [organisation] = JSON.parse(key) as [string];
    findings.add({ organisationId: organisation, importId, sentence: `shipment ${shipmentId}: it is missing from the ledger` });
  }
}
