// An API with short queues, and a new organisation and pushes for each test.
import { afterAll, beforeAll } from "vitest";
import { streamOf } from "../../../../src/events/streams.js";
import type { StoredEvent } from "../../../../src/ports/eventStore.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

export const item = { itemType: "Carton", itemQuantity: 1, itemWeight: 2.5 };
export const shipment = (id: string) => ({ shipmentId: id, originPostCode: "2000", destinationPostCode: "3000", items: [item] });
export const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 2, activityTimestamp: "2026-03-01T09:30:00Z" };
export const shipmentsPath = "/v1/org/shipments/imports";
export const activitiesPath = "/v1/org/fulfilment/activities";
export const csv = (text: string, name = "rows.csv") => new File([text], name);
export const activityCsv = "warehouseCode,chargeCode,quantity,activityTimestamp\nSYD1,PICK,2,2026-03-01T09:30:00Z\n";

/** Starts the stage for all tests of a file. */
export function usePushes() {
  let service: TestService;
  let org: TestOrganisation;

  beforeAll(async () => {
    service = await startTestService({ maxQueuedImports: 5 });
  });
  afterAll(() => service?.close());

  const fresh = async () => {
    org = await service.organisation();
    return org;
  };

  async function eventsOf(importId: string): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    for await (const event of service.eventStore.read(streamOf.import(importId))) events.push(event);
    return events;
  }

  const queued = async (organisationId: string) =>
    (await service.pool.query("select import_id from import_queue where organisation_id = $1", [organisationId])).rowCount;

  return {
    get service() {
      return service;
    },
    /** The organisation of the running test. */
    get org() {
      return org;
    },
    set org(another: TestOrganisation) {
      org = another;
    },
    ...{ fresh, eventsOf, queued },
  };
}
