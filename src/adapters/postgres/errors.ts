// src/adapters/postgres has the pool, migrations, transactions and notifications, and turns outages into StoreUnavailable.
import { StoreUnavailable } from "../../portErrors.js";
import { isTlsFault } from "../tlsFaults.js";

const network = new Set([
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
// Connection exceptions, shutdowns, out of resources, statement time-out, and a standby that has not been promoted yet.
const sqlStates = /^(08...|57P0[1-5]|57014|53...|25006)$/;
// node-postgres has no error code for these.
const messages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after/;

export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if (at instanceof StoreUnavailable && at.store === "database") return true;
    const code = (at as { code?: unknown }).code;
    if (typeof code === "string" && (network.has(code) || sqlStates.test(code))) return true;
    if (messages.test(at.message)) return true;
  }
  return false;
}

/** Outages and refused access become StoreUnavailable. Every other error is returned unchanged. */
export function asDatabaseError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const reason = error instanceof Error && error.message ? error.message : "no connection";
  const hint = hintFor(error);
  if (hint) {
    return new StoreUnavailable("database", `The database cannot be used: ${reason}. ${hint}`, { cause: error, fault: "misconfigured" });
  }
  if (!isDatabaseUnavailable(error)) return error;
  return new StoreUnavailable("database", `The database is not available: ${reason}`, { cause: error });
}

/** What to do about an error for which waiting does not help; undefined for other errors. */
function hintFor(error: unknown): string | undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  if (/unsupported startup parameter/.test(message ?? "")) {
    return "Set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout in PgBouncer.";
  }
  if (message === "The server does not support SSL connections") return "Switch TLS on in it, or take sslmode out of DATABASE_URL.";
  if (isTlsFault(error)) return "Check sslmode and sslrootcert in DATABASE_URL, and NODE_EXTRA_CA_CERTS.";
  if (typeof code === "string" && /^(28...|3D000)$/.test(code)) return "Check the user, the password and the database in DATABASE_URL.";
  return undefined;
}
