// The way to Postgres: pool, migrations, transactions, notifications, and the one error that means "not reachable now".
import { StoreUnavailable } from "../../portErrors.js";

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
// node-postgres gives these no code.
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

/** Outages become StoreUnavailable; every other error stays what it is. */
export function asDatabaseError(error: unknown): unknown {
  if (error instanceof StoreUnavailable || !isDatabaseUnavailable(error)) return error;
  const reason = error instanceof Error && error.message ? error.message : "no connection";
  return new StoreUnavailable("database", `The database is not available: ${reason}`, { cause: error });
}
