import { expect, test } from "vitest";
import { welcome } from "../../src/cli/firstStart.js";
import { parseConfig } from "../../src/config.js";

const config = parseConfig({ PUBLIC_URL: "https://waybill.example.com", DATA_DIR: "/srv/waybill" });

test("the first start shows the key and a line with it", () => {
  const lines = welcome(config, { organisationId: "demo", key: "wb_live_abc" });
  expect(lines.slice(0, 3)).toEqual([
    "Waybill is ready at https://waybill.example.com (API reference: https://waybill.example.com/docs)",
    "Demo organisation: demo",
    "Demo API key, shown only this once: wb_live_abc",
  ]);
  expect(lines.at(-1)).toMatch(/^ {2}curl -s https:\/\/waybill\.example\.com\/v1\/org\/quote\/getQuote -H 'x-api-key: wb_live_abc' /);
});

test("a later start shows how to make a key, in lines that work when pasted together", () => {
  const text = welcome(config, { organisationId: "demo", key: undefined }).join("\n");
  expect(text).toContain("KEY=$(DATA_DIR='/srv/waybill' npm run -s waybill -- keys create --org demo --name laptop)");
  expect(text).toContain('-H "x-api-key: $KEY"');
  expect(text).not.toContain("wb_live_");
});

test("without a demo organisation only the address is shown", () => {
  expect(welcome(config, undefined)).toHaveLength(1);
});
