import { pino } from "pino";
import { expect, test } from "vitest";
import { logUnavailable } from "../../../src/http/server/answerError.js";
import { StoreUnavailable } from "../../../src/portErrors.js";

test("an outage is one line in the log, however many requests it meets, and one more every ten seconds", () => {
  const lines: { err: { message: string }; answersBefore?: number }[] = [];
  const logger = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const missing = new Error("wrapped", { cause: new StoreUnavailable("database", "The database does not have all of its tables") });
  for (let now = 0; now < 10_000; now += 500) logUnavailable(logger, missing, {}, now);
  expect(lines).toHaveLength(1);
  logUnavailable(logger, new StoreUnavailable("event store", "The event store is not available"), {}, 9_000);
  expect(lines).toHaveLength(2);
  logUnavailable(logger, missing, {}, 10_000);
  expect(lines[2]).toMatchObject({ answersBefore: 19 });
});
