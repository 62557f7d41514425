import { BlockList } from "node:net";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigurationFaults, parseConfig } from "../../src/config.js";

const secret = "thirty-two characters, or more..";

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigurationFaults) return error.faults;
    throw error;
  }
  return [];
}

test("an empty environment gives the defaults: everything on one machine, with embedded stores", () => {
  expect(parseConfig({})).toEqual({
    host: "127.0.0.1",
    port: 3000,
    dataDir: resolve(".waybill"),
    databaseUrl: undefined,
    eventStoreUrl: undefined,
    s3: undefined,
    publicUrl: "http://127.0.0.1:3000",
    trustedProxies: expect.any(BlockList),
    rateLimitPerMinute: 600,
    maxQueuedImports: 20,
    signingSecret: undefined,
    demo: true,
    webhookPrivate: true,
    logLevel: "info",
  });
});

test("a configuration with three faults lists all three", () => {
  expect(faultsOf({ PORT: "http", LOG_LEVEL: "loud", DATABASE_URL: "mysql://db", SIGNING_SECRET: secret })).toEqual([
    "PORT must be a whole number from 1 to 65535",
    "DATABASE_URL must be an address such as postgres://user:password@host:5432/waybill",
    "LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent",
  ]);
});

test("missing variables are listed beside wrong ones", () => {
  expect(faultsOf({ PORT: "99999", S3_ENDPOINT: "http://minio:9000" })).toEqual([
    "PORT must be a whole number from 1 to 65535",
    "S3_ACCESS_KEY is required with S3_ENDPOINT",
    "S3_SECRET_KEY is required with S3_ENDPOINT",
    "SIGNING_SECRET is required with S3_ENDPOINT: at least 32 characters, the same for every process",
  ]);
});

test("no value is repeated in a fault, since it may be a secret", () => {
  const environment = {
    DATABASE_URL: "http://user:hunter2@db/waybill",
    EVENTSTORE_URL: "http://admin:hunter2@es",
    SIGNING_SECRET: "hunter2",
    S3_ENDPOINT: "ftp://hunter2",
    S3_SECRET_KEY: "hunter2",
  };
  const faults = faultsOf(environment);
  expect(faults).toHaveLength(5);
  expect(faults.join(" ")).not.toContain("hunter2");
});

test.each(["https://waybill.example.com/?tenant=a", "https://waybill.example.com#top", "https://waybill.example.com/base?"])(
  "PUBLIC_URL %s is a fault, since links made from it would be broken",
  (address) => {
    expect(faultsOf({ PORT: "http", PUBLIC_URL: address })).toEqual([
      "PORT must be a whole number from 1 to 65535",
      "PUBLIC_URL must have no query (?) and no fragment (#): paths are added to it",
    ]);
    expect(parseConfig({ PUBLIC_URL: "https://waybill.example.com/base/" }).publicUrl).toBe("https://waybill.example.com/base");
  },
);

test.each([
  ["0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "http://[::1]:3000"],
  ["10.0.0.7", "http://10.0.0.7:3000"],
])("without PUBLIC_URL and with HOST %s, links lead to %s, which a browser on this machine can open", (HOST, publicUrl) => {
  expect(parseConfig({ HOST }).publicUrl).toBe(publicUrl);
});

test("the addresses of real stores are taken from the environment", () => {
  const config = parseConfig({
    DATABASE_URL: "postgres://waybill:pw@db.internal:5432/waybill",
    EVENTSTORE_URL: "esdb://node1:2113,node2:2113,node3:2113?tls=false",
    S3_ENDPOINT: "https://s3.ap-southeast-2.amazonaws.com",
    S3_ACCESS_KEY: "a",
    S3_SECRET_KEY: "b",
    S3_BUCKET: "freight-files",
    S3_REGION: "ap-southeast-2",
    S3_PUBLIC_ENDPOINT: "https://files.example.com",
    SIGNING_SECRET: secret,
    PUBLIC_URL: "https://waybill.example.com/",
  });
  expect(config.s3).toEqual({
    endpoint: "https://s3.ap-southeast-2.amazonaws.com",
    accessKey: "a",
    secretKey: "b",
    bucket: "freight-files",
    region: "ap-southeast-2",
    publicEndpoint: "https://files.example.com",
  });
  expect(config.publicUrl).toBe("https://waybill.example.com");
  expect(config.eventStoreUrl).toBe("esdb://node1:2113,node2:2113,node3:2113?tls=false");
});

test.each([
  ["127.0.0.1", true],
  ["127.8.0.3", true],
  ["localhost", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.20", false],
  ["127.example.com", false],
])("with embedded stores and HOST %s webhooks may by default go to private addresses: %s", (HOST, expected) => {
  expect(parseConfig({ HOST }).webhookPrivate).toBe(expected);
  expect(parseConfig({ HOST, WEBHOOK_PRIVATE: expected ? "off" : "on" }).webhookPrivate).toBe(!expected);
});

describe("TRUSTED_PROXIES", () => {
  test.each(["10.0.0.7", "10.0.0.0/8", "0.0.0.0/0", "::1", "2001:db8::/32", " 10.0.0.7 ,2001:db8::/128"])("%s is accepted", (value) => {
    expect(parseConfig({ TRUSTED_PROXIES: value }).trustedProxies.rules.length).toBe(value.split(",").length);
  });

  test.each([
    "proxy.example.com",
    "10.0.0.7/33",
    "2001:db8::/129",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "10.0.0.7,",
    "fe80::1%eth0",
    "10.0.0.0/-1",
    "all",
  ])("%s is listed with the other faults", (value) => {
    const words = /TRUSTED_PROXIES must be addresses or ranges.*\n.*DEMO must be on or off/s;
    expect(() => parseConfig({ TRUSTED_PROXIES: value, DEMO: "x" })).toThrow(words);
  });

  test("is none by default", () => {
    expect(parseConfig({}).trustedProxies.rules).toEqual([]);
  });
});

test("webhooks may go to private addresses by default with embedded stores, and otherwise only with WEBHOOK_PRIVATE=on", () => {
  const database = { DATABASE_URL: "postgres://waybill:pw@db:5432/waybill", SIGNING_SECRET: secret };
  expect(parseConfig({}).webhookPrivate).toBe(true);
  expect(parseConfig({ WEBHOOK_PRIVATE: "off" }).webhookPrivate).toBe(false);
  expect(parseConfig(database).webhookPrivate).toBe(false);
  expect(parseConfig({ ...database, WEBHOOK_PRIVATE: "on" }).webhookPrivate).toBe(true);
  expect(() => parseConfig({ WEBHOOK_PRIVATE: "yes" })).toThrow("WEBHOOK_PRIVATE must be on or off");
});

test.each(["esdb://localhost:2113?tls=false", "esdb://admin:pw@localhost:2113/?tls=false", "esdb+discover://cluster.dns:2113"])(
  "%s is accepted as EVENTSTORE_URL",
  (url) => {
    expect(parseConfig({ EVENTSTORE_URL: url, SIGNING_SECRET: secret }).eventStoreUrl).toBe(url);
  },
);

test("a variable that is empty or blank counts as not set", () => {
  expect(parseConfig({ PORT: "", DATABASE_URL: " " }).port).toBe(3000);
});

test.each(["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"])("DATABASE_URL may have sslmode=%s", (mode) => {
  const url = `postgres://a:b@c/d?sslmode=${mode}`;
  expect(parseConfig({ DATABASE_URL: url, SIGNING_SECRET: secret }).databaseUrl).toBe(url);
});

test.each([
  ["sslmode=verify_full", "DATABASE_URL has an unknown sslmode; it is one of disable, prefer, require, verify-ca, verify-full, no-verify"],
  ["sslmode=", "DATABASE_URL has an unknown sslmode; it is one of disable, prefer, require, verify-ca, verify-full, no-verify"],
  ["sslmode=require&sslrootcert=/no/such.pem", "DATABASE_URL names a file (sslrootcert, sslcert or sslkey) that cannot be read"],
])("DATABASE_URL with %s is a fault", (query, fault) => {
  expect(() => parseConfig({ DATABASE_URL: `postgres://a:hunter2@c/d?${query}`, SIGNING_SECRET: secret })).toThrow(
    new ConfigurationFaults([fault]),
  );
});

test("single sign-on wants all three of its variables, and https unless the provider is on this machine", () => {
  const given = { OIDC_ISSUER: "https://login.example.com/tenant", OIDC_CLIENT_ID: "waybill", OIDC_CLIENT_SECRET: "hunter2" };
  expect(parseConfig(given).singleSignOn).toEqual({ issuer: given.OIDC_ISSUER, clientId: "waybill", clientSecret: "hunter2" });
  expect(parseConfig({ ...given, OIDC_ISSUER: "http://127.0.0.1:4000" }).singleSignOn?.issuer).toBe("http://127.0.0.1:4000");
  expect(faultsOf({ ...given, OIDC_ISSUER: "http://login.example.com" })).toEqual([
    "OIDC_ISSUER must be an https address: passwords and tokens travel there",
  ]);
  for (const missing of Object.keys(given)) {
    expect(faultsOf({ ...given, [missing]: "" })).toEqual([`${missing} is required with the other OIDC variables`]);
  }
});
