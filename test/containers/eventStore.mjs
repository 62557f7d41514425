// Serves a real EventStoreDB on the given port until SIGTERM: what TEST_EVENTSTORE_COMMAND runs, once per test file.
import { GenericContainer, Wait } from "testcontainers";
import { imageOf } from "./images.mjs";

const port = Number(process.argv[2]);
const container = await new GenericContainer(imageOf("eventstore"))
  .withEnvironment({
    EVENTSTORE_CLUSTER_SIZE: "1",
    EVENTSTORE_INSECURE: "true",
    EVENTSTORE_RUN_PROJECTIONS: "None",
    EVENTSTORE_STREAM_EXISTENCE_FILTER_SIZE: "10000",
  })
  .withExposedPorts({ container: 2113, host: port })
  .withWaitStrategy(Wait.forHttp("/health/live", 2113).forStatusCodeMatching((status) => status >= 200 && status < 300))
  .start();
const stop = async () => {
  await container.stop();
  process.exit(0);
};
process.once("SIGTERM", () => void stop()).once("SIGINT", () => void stop());
setInterval(() => undefined, 60_000);
