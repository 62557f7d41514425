// The API on a read model whose imports are recorded as events, with two organisations.
import { afterAll, beforeAll } from "vitest";
import type { Story } from "../../../support/importStory.js";
import { type ReadModel, startReadModel } from "../../../support/readModel.js";
import { createShell, insertOrganisation } from "../../../support/shell.js";
import { createTestObjectStore } from "../../../support/stores/stores.js";

export type Json = Record<string, unknown> & { items: Record<string, unknown>[]; nextCursor: string | null };

export const rejects = (count: number, handle = "S1") =>
  Array.from({ length: count }, (_, index) => ({ reject: `fault ${index}`, handle, data: { shipmentId: handle, itemType: `${index}` } }));

/** Starts the stage for all tests of a file. */
export function useImports() {
  let model: ReadModel;
  let objects: Awaited<ReturnType<typeof createTestObjectStore>>;
  let app: ReturnType<typeof createShell>;
  let acme: { organisationId: string; keyId: string; key: string };
  let other: { organisationId: string; key: string };

  beforeAll(async () => {
    model = await startReadModel();
    objects = await createTestObjectStore();
    app = createShell(model.pool, { deps: { eventStore: model.eventStore, objectStore: objects.store } });
    acme = await insertOrganisation(model.pool);
    other = await insertOrganisation(model.pool);
  });
  afterAll(async () => {
    await model?.close();
    await objects?.close();
  });

  async function get(path: string, key = acme.key): Promise<{ status: number; body: Json; text: string }> {
    const response = await app.request(path, { headers: { "x-api-key": key } });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Json, text };
  }

  async function recorded(story: Story): Promise<string> {
    const { importId } = await model.record({ organisationId: acme.organisationId, ...story });
    await model.project();
    return importId;
  }

  return {
    get model() {
      return model;
    },
    get objects() {
      return objects;
    },
    get app() {
      return app;
    },
    get acme() {
      return acme;
    },
    get other() {
      return other;
    },
    ...{ get, recorded },
  };
}
