import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../src/config.js";
import { openRole } from "../../src/main.js";
import { freePort } from "../support/processes.js";

test("the API listens before its modules are loaded and its stores are looked for: it is alive, and all else is 503 with when to come back", async () => {
  const port = await freePort();
  const role = await openRole("api", parseConfig({ PORT: String(port) }), pino({ level: "silent" }));
  onTestFinished(() => role.close());
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await ask("/healthz")).status).toBe(200);
  const { status, headers } = await ask("/v1/org/quotes");
  expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
});
