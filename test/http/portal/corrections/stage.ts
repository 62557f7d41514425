// A service with a worker and a projector, and a member who sends requests as the page of rejected rows does.
import { afterAll, beforeAll } from "vitest";
import { addMember, formToken, signedIn, type Visitor } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

export type Json = Record<string, unknown>;

/** An activity that is rejected, since no organisation has this customer. */
export const activity = {
  warehouseCode: "SYD1",
  chargeCode: "PICK",
  quantity: 1,
  activityTimestamp: "2026-03-01T09:30:00Z",
  customerId: "CUST-999",
};

/** Starts the stage for all tests of a file. */
export function useRejectedRows() {
  let service: TestService;
  let roles: Role[] = [];
  let organisation: TestOrganisation;
  let who: Visitor;
  let token: string;
  beforeAll(async () => {
    service = await startTestService();
    organisation = await service.organisation();
    who = await signedIn(service, await addMember(service, organisation.id, "operator"));
    token = await formToken(who);
    roles = [startWorker(service), startProjector(service)];
  });
  afterAll(async () => {
    await Promise.all(roles.map((role) => role.stop()));
    await service?.close();
  });

  const ask = (path: string, body: unknown, visitor = who, formTokenOf = token) =>
    askWith(path, JSON.stringify(body), visitor, formTokenOf);

  async function askWith(path: string, body: string, visitor = who, formTokenOf = token, type = "application/json") {
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, origin: service.url, "x-form-token": formTokenOf, "content-type": type };
    const answer = await fetch(`${service.url}/portal/corrections/${path}`, { method: "POST", headers, body });
    return { status: answer.status, body: (await answer.json()) as Json };
  }

  async function completed(importId: string): Promise<void> {
    await until("the import is projected", async () => {
      const { rowCount } = await service.pool.query("select from imports where import_id = $1 and status = 'completed'", [importId]);
      return rowCount === 1;
    });
  }

  async function rejected(count: number): Promise<string> {
    const activities = Array.from({ length: count }, (_, index) => ({ ...activity, reference: `R-${index + 1}` }));
    const answer = await organisation.post("/v1/org/fulfilment/activities", { activities });
    const { importId } = (await answer.json()) as { importId: string };
    await completed(importId);
    return importId;
  }

  return {
    get service() {
      return service;
    },
    get organisation() {
      return organisation;
    },
    get who() {
      return who;
    },
    get token() {
      return token;
    },
    ...{ ask, askWith, completed, rejected },
  };
}
