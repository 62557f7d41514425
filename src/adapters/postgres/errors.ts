// src/adapters/postgres has the pool, migrations, transactions and notifications. This file turns its outages into StoreUnavailable.
import { causesOf, StoreUnavailable } from "../../portErrors.js";
import { isTlsFault } from "../tlsFaults.js";

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** The server's socket file is not there yet or was removed, or more connections wait for it than the server allows. */
const isSocketOutage = ({ code, syscall }: NodeJS.ErrnoException) => syscall === "connect" && (code === "ENOENT" || code === "EAGAIN");
// Connection exceptions, shutdowns, lack of resources, system errors, statement time-outs, a missing database, a standby that is not
// promoted yet, and transactions that fail because of a concurrent transaction.
const outageSqlStates = /^(08...|40001|40P01|57P0[1-5]|57014|53...|58...|25006|3D000)$/;
/** A missing table, column, function or schema. It was dropped and will be created again, or another process is migrating. */
const missingObjectStates = /^(42P01|42703|42883|3F000)$/;
/** Postgres has no code of its own for a table that is dropped while a statement uses it. */
const droppedInUseMessage = /could not open relation with OID|cache lookup failed for/;
// node-postgres reports these failures without an error code.
const outageMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after/;

export function isDatabaseUnavailable(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (cause instanceof StoreUnavailable) return cause.store === "database";
    const code = (cause as { code?: unknown }).code;
    if (typeof code === "string" && (networkCodes.has(code) || outageSqlStates.test(code))) return true;
    if (isMissingObject(cause) || isSocketOutage(cause) || outageMessages.test(cause.message)) return true;
  }
  return false;
}

function isMissingObject(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === "string" && (missingObjectStates.test(code) || (code === "XX000" && droppedInUseMessage.test(message ?? "")));
}

export interface ConnectionHistory {
  /** Whether this process was connected to the database before. If so, its settings are right. */
  readonly connectedBefore?: boolean;
}

/** Outages and refused access become StoreUnavailable. Every other error is returned unchanged. */
export function asDatabaseError(error: unknown, { connectedBefore = false }: ConnectionHistory = {}): unknown {
  for (const cause of causesOf(error)) if (cause instanceof StoreUnavailable) return cause;
  const reason = error instanceof Error && error.message ? error.message : "no connection";
  const hint = connectedBefore && isDatabaseUnavailable(error) ? undefined : hintFor(error);
  if (hint) {
    return new StoreUnavailable("database", `The database cannot be used: ${reason}. ${hint}`, { cause: error, fault: "misconfigured" });
  }
  if (!isDatabaseUnavailable(error)) return error;
  if (isMissingObject(error)) return new StoreUnavailable("database", `${tablesMissing}: ${reason}`, { cause: error });
  return new StoreUnavailable("database", `The database is not available: ${reason}`, { cause: error });
}

const tablesMissing =
  "The database does not have all of its tables. A running projector fills them from the log, and so does `projections rebuild`";

/** What to do about an error for which waiting does not help; undefined for other errors. */
function hintFor(error: unknown): string | undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  if (/unsupported startup parameter/.test(message ?? "")) {
    return "Set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in PgBouncer.";
  }
  if (message === "The server does not support SSL connections") return "Switch TLS on in it, or take sslmode out of DATABASE_URL.";
  if (isTlsFault(error)) return "Check sslmode and sslrootcert in DATABASE_URL, and NODE_EXTRA_CA_CERTS.";
  if (typeof code === "string" && /^(28...|3D000)$/.test(code)) return "Check the user, the password and the database in DATABASE_URL.";
  if (code === "42501") return "Check what the user of DATABASE_URL may do in this database and its schema public.";
  return undefined;
}
