import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestEventStore, type TestEventStore } from "../../support/stores/eventStore.js";
import { APPENDS, RETRIES } from "./appendQuestions.js";
import { createAsker, type Path } from "./asker.js";
import { linesOf, type Questions } from "./conformance.js";
import { DELETES } from "./deleteQuestions.js";
import { READS } from "./readQuestions.js";
import { SUBSCRIPTIONS } from "./subscriptionQuestions.js";

let store: TestEventStore;

beforeAll(async () => {
  store = await startTestEventStore();
});

afterAll(async () => {
  await store?.stop();
});

describe.each<[string, Questions, Path]>([
  ["retries, on the batch path", RETRIES, "batch"],
  ["retries, on the classic path", RETRIES, "classic"],
  ["appends, on the batch path", APPENDS, "batch"],
  ["appends, on the classic path", APPENDS, "classic"],
  ["reads", READS, "batch"],
  ["subscriptions", SUBSCRIPTIONS, "batch"],
  ["deletes and descriptions", DELETES, "batch"],
])("%s", (_, questions, path) => {
  test.each(Object.entries(questions))("%s", async (_name, text) => {
    const asker = createAsker(store.address, path);
    const wanted: string[] = [];
    const given: string[] = [];
    try {
      for (const { question, answer } of linesOf(text)) {
        wanted.push(`${question} -> ${answer}`);
        given.push(`${question} -> ${await asker.ask(question, answer)}`);
      }
    } finally {
      await asker.close();
    }
    expect(given).toEqual(wanted);
  });
});
