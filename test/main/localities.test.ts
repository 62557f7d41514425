import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { createGeography } from "../../src/domain/geography/geography.js";
import { followLocalities, localitiesRefreshMs } from "../../src/main/localities.js";
import { until } from "../support/readModel.js";

const stop = new AbortController();
afterAll(() => stop.abort());

test("while the database is away the log lines become rarer, and localities loaded meanwhile are used once it is back", async () => {
  const heard: number[] = [];
  let away = false;
  const write = () => {
    heard.push(performance.now());
    if (heard.length === 2) away = false; // here, since a wait for it may end after the third line
  };
  const logger = pino({ level: "warn" }, { write });
  let version = "old";
  const asked: string[] = [];
  const localities = {
    currentVersions: async () => {
      if (away) throw new Error("the database is away");
      return { NZ: version };
    },
    geography: async (versions: Record<string, string>) => {
      asked.push(versions["NZ"] ?? "");
      return createGeography(() => undefined);
    },
  };
  await followLocalities(localities, { logger, signal: stop.signal });
  [away, version] = [true, "new"];
  await until(async () => asked.includes("new"));
  expect(heard).toHaveLength(2);
  expect((heard[1] ?? 0) - (heard[0] ?? 0)).toBeGreaterThanOrEqual(2 * localitiesRefreshMs * 0.45);
});
