// Serves a real EventStoreDB on the given port until SIGTERM: what TEST_EVENTSTORE_COMMAND runs, once per test file.
import { Wait } from "testcontainers";
import { containerOf, removeContainers } from "./containers.mjs";

const port = Number(process.argv[2]);
const own = { "waybill.test-port": String(port) };
const end = (code) => removeContainers(own).finally(() => process.exit(code));
// Before the start: a store that a test gives up while it starts is removed too.
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
    return end(1);
  });
setInterval(() => undefined, 60_000);
