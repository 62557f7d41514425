import { destination, type Logger, pino } from "pino";

/** Lines of JSON on stderr: stdout belongs to results. Keys and secrets never reach it. */
export function createLogger(options: { level: string; role: string }): Logger {
  const hidden = ["x-api-key", "authorization", "apiKey", "password", "secretKey", "signingSecret", "databaseUrl", "eventStoreUrl"];
  const paths = hidden.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `headers["${name}"]`, `*.headers["${name}"]`]);
  return pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...new Set(paths)], censor: "[hidden]" },
    },
    destination({ dest: 2, sync: true }),
  );
}
