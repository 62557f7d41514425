// The integration tests against the real stores of docker-compose.yml: `npm run test:containers`, or a part: `-- test/adapters/objectStore`.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getContainerRuntimeClient, Wait } from "testcontainers";
import { containerOf, openRun } from "./containers.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const all = ["test/adapters", "test/commands", "test/projections", "test/queries", "test/http", "test/workers"];
const suites = process.argv.length > 2 ? process.argv.slice(2) : all;
// These tests kill the store's process and start it again on its folder, which works with the embedded node only.
const notHere = [
  "test/workers/imports/outages.processes.test.ts",
  "test/http/api/realStores.test.ts",
  "test/http/api/quotes/recording.test.ts",
];

const missing = await getContainerRuntimeClient().then(
  () => undefined,
  (error) => error.message,
);
if (missing) {
  process.stdout.write(`test:containers is skipped: no container runtime answers (${missing}). Start Docker and run it again.\n`);
  process.exit(0);
}

const run = await openRun();
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
const stopped = new Promise((_, refuse) => stop.signal.addEventListener("abort", () => refuse(stop.signal.reason)));
try {
  process.exitCode = await vitest(await Promise.race([startStores(), stopped]));
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
} finally {
  await run.close();
}
process.exit(); // a start that was given up may still wait

/** Returns what tells the tests where the stores are. */
async function startStores() {
  const postgres = await containerOf("postgres")
    .withEnvironment({ POSTGRES_USER: "waybill", POSTGRES_PASSWORD: "waybill", POSTGRES_DB: "waybill" })
    .withCommand(["postgres", "-c", "fsync=off", "-c", "max_connections=300"])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const minio = await containerOf("minio")
    .withEnvironment({ MINIO_ROOT_USER: "waybill", MINIO_ROOT_PASSWORD: "waybill-test" })
    .withCommand(["server", "/data"])
    .withExposedPorts(9000)
    .withWaitStrategy(Wait.forHttp("/minio/health/live", 9000))
    .start();
  return {
    TEST_DATABASE_URL: `postgres://waybill:waybill@${postgres.getHost()}:${postgres.getMappedPort(5432)}/waybill`,
    TEST_S3_ENDPOINT: `http://${minio.getHost()}:${minio.getMappedPort(9000)}`,
    TEST_S3_ACCESS_KEY: "waybill",
    TEST_S3_SECRET_KEY: "waybill-test",
    TEST_EVENTSTORE_COMMAND: `'${process.execPath}' '${join(root, "test/containers/eventStore.mjs")}'`,
  };
}

function vitest(environment) {
  const command = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const args = [command, "run", ...suites, ...notHere.flatMap((file) => ["--exclude", file])];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
    signal: stop.signal,
  });
  child.on("error", () => undefined); // stopped by the signal, which ends it
  return new Promise((settle) => child.once("exit", (code) => settle(code ?? 1)));
}
