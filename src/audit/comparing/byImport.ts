// Reads a table that has rows of imports import by import.
import type { PoolClient } from "pg";
import { readSnapshotRows } from "../snapshot.js";

interface ImportRowsQuery<Held> {
  /** Its first column is the import's position, by which it is sorted. */
  readonly query: string;
  begin(): Held;
  add(held: Held, columns: readonly unknown[]): void;
}

export async function* rowsByImport<Held>(
  client: PoolClient,
  { query, begin, add }: ImportRowsQuery<Held>,
  values: readonly unknown[],
): AsyncGenerator<{ readonly position: string; readonly held: Held }> {
  let current: { readonly position: string; readonly held: Held } | undefined;
  for await (const [position, ...columns] of readSnapshotRows(client, query, values)) {
    if (current?.position !== String(position)) {
      if (current) yield current;
      current = { position: String(position), held: begin() };
    }
    add(current.held, columns);
  }
  if (current) yield current;
}
