// The containers of one test run. All have the run's label, also those that its other processes start: whichever process fails or is killed,
// the run's end removes them.
import { randomUUID } from "node:crypto";
import { GenericContainer, getContainerRuntimeClient } from "testcontainers";
import { imageOf } from "./images.mjs";

process.env.TEST_CONTAINERS_RUN ||= randomUUID(); // processes that this one starts inherit it
const label = (own) => ({ "waybill.test-run": process.env.TEST_CONTAINERS_RUN, ...own });

/** A container of a service in docker-compose.yml, to be started. */
export const containerOf = (service, own = {}) => new GenericContainer(imageOf(service)).withLabels(label(own));

/** Removes the run's containers, or those of them with a label of their own, also one that is still starting. */
export async function removeContainers(own = {}) {
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const wanted = Object.entries(label(own)).map(([name, value]) => `${name}=${value}`);
  const found = await dockerode.listContainers({ all: true, filters: { label: wanted } });
  await Promise.all(found.map(({ Id }) => dockerode.getContainer(Id).remove({ force: true, v: true }).catch(unlessGone)));
}

/** Another process of the run may remove a container at the same time. */
function unlessGone(error) {
  if (![404, 409].includes(error.statusCode)) throw error;
}
