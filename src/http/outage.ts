// An outage of a store is the caller's cue to try again, not a bug. Vendors report it in many shapes, wrapped to any depth.
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

// Postgres: connection exceptions, out of resources, shutting down or starting, cancelled by a time-out, read only after a failover.
const postgresStates = /^(08...|53...|57P0[1-5]|57014|25006)$/;
const postgresMessages = /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered)/;

const looksLikeOutage = (error: Error & { code?: unknown }): boolean => {
  if (/Unavailable|Outage|DeadlineExceeded|OutcomeUnknown/.test(error.name) || /Unavailable|Outage/.test(error.constructor.name))
    return true;
  if (typeof error.code === "string" && (networkCodes.has(error.code) || postgresStates.test(error.code))) return true;
  return postgresMessages.test(error.message);
};

export function isOutage(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (looksLikeOutage(current)) return true;
    current = current.cause;
  }
  return false;
}
