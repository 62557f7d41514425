// Serves a real EventStoreDB on the given port until SIGTERM or the run's end: what TEST_EVENTSTORE_COMMAND runs, once per test file.
import { setTimeout as pause } from "node:timers/promises";
import { Wait } from "testcontainers";
import { containerOf, joinRun, removeContainers } from "./containers.mjs";

const port = Number(process.argv[2]);
const own = { "waybill.test-port": String(port) };
let isStarting = true;
/** While it starts, the engine may be about to make the container. */
async function end(code) {
  while ((await removeContainers(own)) === 0 && isStarting) await pause(100);
  process.exit(code);
}
await joinRun(() => end(0));
process.once("SIGTERM", () => end(0)).once("SIGINT", () => end(0));
await containerOf("eventstore", own)
  .withEnvironment({
    EVENTSTORE_CLUSTER_SIZE: "1",
    EVENTSTORE_INSECURE: "true",
    EVENTSTORE_RUN_PROJECTIONS: "None",
    EVENTSTORE_STREAM_EXISTENCE_FILTER_SIZE: "10000",
  })
  .withExposedPorts({ container: 2113, host: port })
  .withWaitStrategy(Wait.forHttp("/health/live", 2113).forStatusCodeMatching((status) => status >= 200 && status < 300))
  .start()
  .catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    isStarting = false;
    return end(1);
  });
isStarting = false;
setInterval(() => undefined, 60_000);
