import pino from "pino";
import { expect, test } from "vitest";
import { Rejection } from "../../../src/domain/rejection.js";
import { answerError } from "../../../src/http/server/answerError.js";
import { Problem } from "../../../src/http/server/problem.js";
import { StoreUnavailable, TooBusy } from "../../../src/portErrors.js";

const logger = pino({ level: "silent" });

test.each([
  ["a line that is full", new TooBusy("too many reads"), 503],
  ["a client that has left", new Problem("left", "The client has left"), 499],
  ["a store that is away", new StoreUnavailable("database", "it is away"), 503],
  ["a rejection", new Rejection("notFound", "There is none"), 404],
  ["an error of ours", new Error("a bug"), 500],
])("%s is answered the same when a library has wrapped it in an error of its own", (_, error, status) => {
  expect(answerError(error, logger, {}).status).toBe(status);
  expect(answerError(new Error("Failed query: select 1", { cause: error }), logger, {}).status).toBe(status);
});
