// docker-compose.yml, as far as it can be tested without a container engine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseYaml } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config.js";
import { root } from "./dockerfile.js";

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly disable?: boolean };
  readonly environment: Readonly<Record<string, string>>;
}

const { services } = parseYaml(readFileSync(join(root, "docker-compose.yml"), "utf8")) as { services: Record<string, Service> };
const roles = Object.entries(services).filter(([, { profiles }]) => profiles?.includes("app"));

test("no service's healthcheck is switched off, since `up --wait` would never end well", () => {
  expect(Object.entries(services).filter(([, { healthcheck }]) => healthcheck?.disable)).toEqual([]);
});

test("the three roles run one image, which one of them builds; the API alone is reachable and asked for its health", () => {
  expect(roles.map(([name, { command, image }]) => [name, command, image])).toEqual(
    ["api", "worker", "projector"].map((role) => [role, role, "waybill"]),
  );
  for (const key of ["build", "ports", "healthcheck"] as const)
    expect(roles.filter(([, service]) => service[key] !== undefined).map(([name]) => name)).toEqual(["api"]);
});

test("the roles have one valid configuration, whose links lead to published ports of this machine", () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports.map((port) => `http://${port.replace(/:\d+$/, "")}`));
  for (const [, { environment }] of roles) {
    expect(environment).toEqual(services["api"]?.environment);
    const { SIGNING_SECRET: secret = "", ...others } = environment;
    const { publicUrl, s3 } = parseConfig({ ...others, SIGNING_SECRET: secret.replace(/^\$\{\w+:-(.*)\}$/, "$1") });
    for (const link of [publicUrl, s3?.publicEndpoint]) expect(published).toContain(link);
  }
});
