// Other people's rules for OpenAPI documents. They take longer than all other tests of the document together.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { describeApi } from "../../../../src/http/api/document/describeApi.js";
import { routes } from "../../../../src/http/api/routes/list.js";

const text = JSON.stringify(describeApi(routes, "https://waybill.example.net"));

test("Redocly's recommended rules find no problem", async () => {
  const problems = await lintFromString({ source: text, config: await createConfig({ extends: ["recommended"] }) });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`)).toEqual([]);
});

test("Spectral's recommended rules find no problem", async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "recommended"]] });
  const found = await linter.run(text);
  // OpenAPI 3.1 allows names at every kind of scheme; the rule still knows them from OAuth alone.
  const problems = found.filter(({ message }) => !/^"\w+" must be listed among scopes/.test(message));
  expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`)).toEqual([]);
});
