// A correction has one time limit for all its store calls.
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { requestCorrection } from "../../../src/commands/corrections/requestCorrection.js";
import { fixed, rejectedActivities, useCorrections } from "../../http/api/corrections/stage.js";

const stage = useCorrections();

test("what looking the rows up has taken is not left for the append", async () => {
  const { service, newOrganisation } = stage;
  const organisation = await newOrganisation();
  const importId = await rejectedActivities(organisation, 1);
  const patience: (number | undefined)[] = [];
  const { deps, eventStore } = service;
  const slow: typeof deps.catalogues = async (...asked) => {
    await pause(1_000);
    return deps.catalogues(...asked);
  };
  const watched: typeof eventStore = {
    ...eventStore,
    append(stream, events, expected, options) {
      patience.push(options?.withinMs);
      return eventStore.append(stream, events, expected, options);
    },
  };
  await requestCorrection(
    { ...deps, eventStore: watched, catalogues: slow, maxQueuedImports: 20 },
    {
      organisationId: organisation.id,
      by: { kind: "cli", id: "test" },
      requestId: "r",
      idempotencyKey: undefined,
      now: new Date(),
      importId,
      push: { rows: [fixed(1)] },
      catalogueVersion: 1,
      withinMs: 30_000,
    },
  );
  expect(patience).toEqual([expect.any(Number)]);
  expect(patience[0]).toBeLessThanOrEqual(29_000);
});
