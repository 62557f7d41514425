// Writes rows with COPY, which is faster than `insert`, and deletes the rows of imports that ended.
import { finished } from "node:stream/promises";
import type { PoolClient } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { ApplyOptions } from "./projection.js";
import type { EndedImport } from "./sortedBatch.js";
import { storableJson } from "./tables/storableJson.js";

/** Each line is a row in COPY's text format. Table and column names come from the code, never from a request, so they are not quoted. */
export async function copyRows(
  client: PoolClient,
  target: { readonly table: string; readonly columns: string },
  lines: string,
  options: Pick<ApplyOptions, "keepExisting">,
): Promise<void> {
  if (lines === "") return;
  if (!options.keepExisting) return copyLines(client, `${target.table} (${target.columns})`, lines);
  const staging = `staged_${target.table}`;
  await client.query(`create temp table ${staging} on commit drop as select ${target.columns} from ${target.table} with no data`);
  await copyLines(client, `${staging} (${target.columns})`, lines);
  await client.query(`insert into ${target.table} (${target.columns}) select ${target.columns} from ${staging} on conflict do nothing`);
  await client.query(`drop table ${staging}`);
}

export async function deleteRows(client: PoolClient, table: string, imports: readonly EndedImport[]): Promise<void> {
  if (imports.length === 0) return;
  await client.query(`delete from ${table} where import_position = any($1::bigint[])`, [imports.map(({ facts }) => facts.position)]);
}

async function copyLines(client: PoolClient, target: string, lines: string): Promise<void> {
  const stream = client.query(copyFrom(`copy ${target} from stdin`));
  stream.end(lines);
  await finished(stream);
}

const specialCharacters = /[\\\t\n\r\0]/;
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\ufffd" };

/** A value in COPY's text format. Replaces the character NUL, which Postgres cannot store, although pushes that contain it are rejected. */
export function copyText(value: unknown): string {
  if (value === undefined || value === null) return "\\N";
  const text = typeof value === "string" ? value : String(value);
  return specialCharacters.test(text) ? text.replace(/[\\\t\n\r\0]/g, (character) => escapes[character] ?? character) : text;
}

/** A JSON value in COPY's text format. */
export function copyJson(value: unknown): string {
  const text = storableJson(value);
  return text.includes("\\") ? text.replaceAll("\\", "\\\\") : text;
}
