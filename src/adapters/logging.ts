import { type DestinationStream, destination, type Logger, pino, stdSerializers } from "pino";

/** Logs lines of JSON to stderr, since results go to stdout. Keys and secrets are never logged. */
export function createLogger(options: { level: string; role: string; stream?: DestinationStream }): Logger {
  const secretFields = ["x-api-key", "authorization", "apiKey", "password", "secretKey", "signingSecret", "databaseUrl", "eventStoreUrl"];
  const paths = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `headers["${name}"]`, `*.headers["${name}"]`]);
  return pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggedError },
      redact: { paths: [...new Set(paths)], censor: "[hidden]" },
    },
    options.stream ?? toStderr(),
  );
}

/** A line that cannot be written, such as on a full disk, is dropped; the process goes on. */
const toStderr = (): DestinationStream => destination({ dest: 2, sync: true, maxLength: 1_048_576 }).on("error", () => undefined);

/** Logs only these fields of an error, since vendors attach whole clients to their errors, with passwords and secret keys. */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { type, message, code, stack } = stdSerializers.err(error);
  return { type, message: message || joinedMessages(error), code, stack };
}

/** An AggregateError, such as for a host with several unreachable addresses, has no message of its own. */
const joinedMessages = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: unknown) => String(each)).join("; ") : "";
