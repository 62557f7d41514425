// Reads the environment; no other file in src does. All variables are checked before anything starts, and all faults are listed together.
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { parseAddressRanges } from "./domain/addressRanges.js";
import { trimTrailing } from "./domain/trimTrailing.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigurationFaults extends Error {
  override readonly name = "ConfigurationFaults";
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
  }
}

const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be a whole number from ${from} to ${to}`);

const address = (protocols: readonly string[], example: string) =>
  z.string().refine(
    (value) => {
      const url = URL.canParse(value) ? new URL(value) : undefined;
      return url !== undefined && protocols.includes(url.protocol) && url.hostname !== "";
    },
    { abort: true, error: `must be an address such as ${example}` },
  );

const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];
const databaseAddress = address(["postgres:", "postgresql:"], "postgres://user:password@host:5432/waybill")
  .refine(
    // node-postgres treats an unknown sslmode as verify-full, which may not be what the operator meant.
    (value) => parametersOf(value, "sslmode").every((mode) => sslModes.includes(mode)),
    `has an unknown sslmode; it is one of ${sslModes.join(", ")}`,
  )
  .refine(
    (value) => ["sslrootcert", "sslcert", "sslkey"].every((name) => parametersOf(value, name).every(isReadable)),
    "names a file (sslrootcert, sslcert or sslkey) that cannot be read",
  );

const parametersOf = (url: string, name: string): string[] => new URL(url).searchParams.getAll(name);

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

// A cluster's address such as esdb://a:2113,b:2113 is no valid URL, so it is checked by a pattern.
const eventStoreAddress = z
  .string()
  .regex(/^esdb(\+discover)?:\/\/[^\s/?]+(\/?\?\S*|\/)?$/, "must be an address such as esdb://host:2113?tls=false");
// Links append a path to this address. After `?` or `#` the path would become part of the query or the fragment.
const webAddress = address(["http:", "https:"], "https://waybill.example.com")
  .refine((value) => !/[?#]/.test(value), "must have no query (?) and no fragment (#): paths are added to it")
  .transform((value) => trimTrailing(value, "/"));
const s3Address = address(["http:", "https:"], "http://host:9000").refine(
  (value) => new URL(value).pathname === "/",
  "must have no path after the host",
);
const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];
const issuerAddress = address(["http:", "https:"], "https://login.example.com").refine(
  (value) => new URL(value).protocol === "https:" || loopbackHosts.includes(new URL(value).hostname),
  "must be an https address: passwords and tokens travel there",
);
const proxyRanges = z.string().transform((value, context) => {
  const ranges = parseAddressRanges(value);
  if (ranges) return ranges;
  context.addIssue("must be addresses or ranges, separated by commas, such as 10.0.0.7, 10.1.0.0/16, 2001:db8::/32");
  return z.NEVER;
});
const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const variables = z.object({
  PORT: wholeNumber(1, 65_535).default(3000),
  HOST: z
    .string()
    .regex(/^[\w.:-]{1,255}$/, "must be a host name or an IP address")
    .default("127.0.0.1"),
  DATA_DIR: z.string().default(".waybill"),
  DATABASE_URL: databaseAddress.optional(),
  EVENTSTORE_URL: eventStoreAddress.optional(),
  S3_ENDPOINT: s3Address.optional(),
  S3_PUBLIC_ENDPOINT: s3Address.optional(),
  S3_ACCESS_KEY: z.string().optional(),
  S3_SECRET_KEY: z.string().optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens")
    .default("waybill"),
  S3_REGION: z
    .string()
    .regex(/^[\w-]{1,64}$/, "must be a region such as us-east-1")
    .default("us-east-1"),
  PUBLIC_URL: webAddress.optional(),
  TRUSTED_PROXIES: proxyRanges.optional(),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(600),
  MAX_QUEUED_IMPORTS: wholeNumber(1, 100_000).default(20),
  SIGNING_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  DEMO: z.enum(["on", "off"], "must be on or off").default("on"),
  OIDC_ISSUER: issuerAddress.optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  WEBHOOK_PRIVATE: z.enum(["on", "off"], "must be on or off").optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(", ")}`).default("info"),
});

/** Throws ConfigurationFaults with all faults. The messages never repeat values, since some are secrets. */
export function parseConfig(environment: Environment): Config {
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""));
  const parsed = variables.safeParse(nonEmpty);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  faults.push(...dependencyFaults(nonEmpty));
  if (!parsed.success || faults.length > 0) throw new ConfigurationFaults(faults);
  return configOf(parsed.data, nonEmpty);
}

export type Config = Readonly<ReturnType<typeof configOf>>;

function configOf(values: z.infer<typeof variables>, environment: Environment) {
  const { S3_ENDPOINT, OIDC_ISSUER } = values;
  // With embedded stores and a loopback host this is a trial on one machine, where the receivers of webhooks usually run as well. In other
  // installations the network may have private services that members must not reach through a webhook.
  const webhookPrivate = values.WEBHOOK_PRIVATE ?? (configuredStores(environment).length === 0 && isLoopback(values.HOST) ? "on" : "off");
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: resolve(values.DATA_DIR),
    /** `databaseUrl`, `eventStoreUrl` and `s3` are undefined for a store that is embedded. */
    databaseUrl: values.DATABASE_URL,
    eventStoreUrl: values.EVENTSTORE_URL,
    s3:
      S3_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: S3_ENDPOINT,
            accessKey: values.S3_ACCESS_KEY ?? "",
            secretKey: values.S3_SECRET_KEY ?? "",
            bucket: values.S3_BUCKET,
            region: values.S3_REGION,
            publicEndpoint: values.S3_PUBLIC_ENDPOINT,
          },
    publicUrl: values.PUBLIC_URL ?? localUrl(values),
    /** The proxies whose X-Forwarded-For header is trusted. */
    trustedProxies: values.TRUSTED_PROXIES ?? new BlockList(),
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    maxQueuedImports: values.MAX_QUEUED_IMPORTS,
    /** Undefined: a secret is generated and kept in the data folder. */
    signingSecret: values.SIGNING_SECRET,
    demo: values.DEMO === "on",
    /** Whether webhooks may be sent to private and loopback addresses. */
    webhookPrivate: webhookPrivate === "on",
    logLevel: values.LOG_LEVEL as string,
    /** Undefined: members sign in by password. */
    singleSignOn:
      OIDC_ISSUER === undefined
        ? undefined
        : {
            issuer: OIDC_ISSUER,
            clientId: values.OIDC_CLIENT_ID ?? "",
            clientSecret: values.OIDC_CLIENT_SECRET ?? "",
          },
  };
}

/** The API's address for a browser on this machine. A server that listens on every address also listens on loopback. */
function localUrl({ HOST, PORT }: z.infer<typeof variables>): string {
  const host = { "0.0.0.0": "127.0.0.1", "::": "::1" }[HOST] ?? HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
}

/** The faults of variables that require other variables. They are reported even if some values are invalid. */
function dependencyFaults(environment: Environment): string[] {
  const faults: string[] = [];
  if (environment["S3_ENDPOINT"]) {
    for (const name of ["S3_ACCESS_KEY", "S3_SECRET_KEY"]) if (!environment[name]) faults.push(`${name} is required with S3_ENDPOINT`);
  } else {
    for (const name of ["S3_ACCESS_KEY", "S3_SECRET_KEY", "S3_BUCKET", "S3_REGION", "S3_PUBLIC_ENDPOINT"])
      if (environment[name]) faults.push(`${name} is set, but S3_ENDPOINT is not`);
  }
  const oidc = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"];
  if (oidc.some((name) => environment[name])) {
    for (const name of oidc) if (!environment[name]) faults.push(`${name} is required with the other OIDC variables`);
  }
  const realStores = configuredStores(environment);
  if (realStores.length > 0 && !environment["SIGNING_SECRET"]) {
    faults.push(`SIGNING_SECRET is required with ${realStores.join(" and ")}: at least 32 characters, the same for every process`);
  }
  return faults;
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

const storeVariables = ["DATABASE_URL", "EVENTSTORE_URL", "S3_ENDPOINT"];
/** The names of those variables that are set. Each replaces an embedded store. */
const configuredStores = (environment: Environment): string[] => storeVariables.filter((name) => environment[name]);

export const loadConfig = (): Config => parseConfig(process.env);

/** The environment of a role's process. It has the addresses of the database and the event store, even if they are embedded. */
export function childEnvironment(
  { webhookPrivate }: Pick<Config, "webhookPrivate">,
  stores: { databaseUrl: string; eventStoreUrl: string; signingSecret: string },
): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DATABASE_URL: stores.databaseUrl,
    EVENTSTORE_URL: stores.eventStoreUrl,
    SIGNING_SECRET: stores.signingSecret,
    WEBHOOK_PRIVATE: webhookPrivate ? "on" : "off",
  };
}
