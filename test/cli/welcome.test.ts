import { expect, test } from "vitest";
import { welcomeLines } from "../../src/cli/firstStart.js";
import { parseConfig } from "../../src/config.js";

const config = parseConfig({ PUBLIC_URL: "https://waybill.example.com", DATA_DIR: "/srv/waybill" });

test("the first start shows the key, a sign-in link for the portal, and a curl line with the key", () => {
  const lines = welcomeLines(config, { organisationId: "demo", key: "wb_live_abc", token: "t0ken", hasAdmin: true });
  expect(lines.slice(0, 4)).toEqual([
    "Waybill is ready at https://waybill.example.com (API reference: https://waybill.example.com/docs)",
    "Demo organisation: demo",
    "Demo API key, shown only this once: wb_live_abc",
    "Portal, as the demo's admin (the link works once, within 72 hours): https://waybill.example.com/portal/join/t0ken",
  ]);
  expect(lines.at(-1)).toMatch(/^ {2}curl -s https:\/\/waybill\.example\.com\/v1\/org\/quote\/getQuote -H 'x-api-key: wb_live_abc' /);
});

test("a later start shows how to make a key, in lines that work when pasted together", () => {
  const text = welcomeLines(config, { organisationId: "demo", key: undefined, hasAdmin: true }).join("\n");
  expect(text).toContain("KEY=$(DATA_DIR='/srv/waybill' npm run -s waybill -- keys create --org demo --name laptop)");
  expect(text).toContain('-H "x-api-key: $KEY"');
  expect(text).not.toContain("wb_live_");
  const command = "DATA_DIR='/srv/waybill' npm run -s waybill -- members";
  expect(text).toContain(`Portal: https://waybill.example.com/portal (for a sign-in link: ${command} link admin@example.com --org demo)`);
  const withoutAdmin = welcomeLines(config, { organisationId: "demo", key: undefined, hasAdmin: false }).join("\n");
  expect(withoutAdmin).toContain(`${command} invite --email admin@example.com --role admin --org demo)`);
});

test("without a demo organisation only the address is shown", () => {
  expect(welcomeLines(config, undefined)).toHaveLength(1);
});
