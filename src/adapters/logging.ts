import { type DestinationStream, destination, type Logger, pino, stdSerializers } from "pino";

/** Lines of JSON on stderr: stdout belongs to results. Keys and secrets never reach it. */
export function createLogger(options: { level: string; role: string; stream?: DestinationStream }): Logger {
  const hidden = ["x-api-key", "authorization", "apiKey", "password", "secretKey", "signingSecret", "databaseUrl", "eventStoreUrl"];
  const paths = hidden.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `headers["${name}"]`, `*.headers["${name}"]`]);
  return pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: described },
      redact: { paths: [...new Set(paths)], censor: "[hidden]" },
    },
    options.stream ?? toStderr(),
  );
}

/** A line that cannot be written (a full disk) can be told nobody, and is no reason to end. */
function toStderr(): DestinationStream {
  return destination({ dest: 2, sync: true, maxLength: 1_048_576 }).on("error", () => undefined);
}

/** Nothing else of an error: vendors hang whole clients on theirs, with their passwords and secret keys. */
function described(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { type, message, code, stack } = stdSerializers.err(error);
  return { type, message: message || partsOf(error), code, stack };
}

/** A host with several addresses that are all out of reach is an error without words of its own. */
const partsOf = (error: Error): string =>
  error instanceof AggregateError ? error.errors.map((each: unknown) => String(each)).join("; ") : "";
