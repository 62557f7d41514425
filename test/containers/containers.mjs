// The containers of one test run. All have the run's label, also those that its other processes start. Those processes end with the run, and its
// end removes what is left, whichever process failed or was killed.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { GenericContainer, getContainerRuntimeClient } from "testcontainers";
import { imageOf } from "./images.mjs";

/** The port by which the run's other processes join it, which inherit the variable. */
const run = () => process.env.TEST_CONTAINERS_RUN;
const label = (own) => ({ "waybill.test-run": run(), ...own });
const longestEndMs = 30_000;

/** Opens a run. Closing it ends the processes that have joined it, and removes its containers. */
export async function openRun() {
  const members = new Set();
  const server = createServer((socket) => {
    members.add(socket);
    socket.on("error", () => undefined).once("close", () => members.delete(socket));
    socket.resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  process.env.TEST_CONTAINERS_RUN = String(server.address().port);
  return {
    close: async () => {
      const ended = once(server, "close");
      server.close();
      for (const socket of members) socket.end();
      await Promise.race([ended, pause(longestEndMs)]);
      await removeContainers();
    },
  };
}

/** Calls `end` when the run ends, also when it is killed. Throws if it has ended: a test may outlive its run by a minute. */
export async function joinRun(end) {
  const socket = connect({ port: Number(run()), host: "127.0.0.1", allowHalfOpen: true }); // open until this process has ended
  await once(socket, "connect");
  socket.once("end", end).once("error", end).resume();
}

/** A container of a service in docker-compose.yml, to be started. */
export const containerOf = (service, own = {}) => new GenericContainer(imageOf(service)).withLabels(label(own));

/** Removes the run's containers, or those of them with a label of their own, also one that is still starting. Returns how many. */
export async function removeContainers(own = {}) {
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const wanted = Object.entries(label(own)).map(([name, value]) => `${name}=${value}`);
  const found = await dockerode.listContainers({ all: true, filters: { label: wanted } });
  await Promise.all(found.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true }).catch(unlessGone)));
  return found.length;
}

/** Another process of the run may remove a container at the same time. */
function unlessGone(error) {
  if (![404, 409].includes(error.statusCode)) throw error;
}
