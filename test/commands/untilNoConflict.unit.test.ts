import { expect, test } from "vitest";
import { retryConflicts } from "../../src/commands/handle.js";
import { StoreUnavailable, WrongVersion } from "../../src/portErrors.js";

const conflict = () => Promise.reject(new WrongVersion("organisation-a", 3n, 4n));

test("conflicts are tried again until one attempt meets none", async () => {
  expect(await retryConflicts((conflicts) => (conflicts < 12 ? conflict() : Promise.resolve(conflicts)), 60_000)).toBe(12);
});

test("conflicts that do not end are an outage that passes, of which nothing was appended", async () => {
  const refused = await retryConflicts(conflict, 30).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect(refused).toMatchObject({ fault: "outage", outcomeUnknown: false });
});

test("any other error is not tried again", async () => {
  let attempts = 0;
  const failing = retryConflicts(() => {
    attempts += 1;
    return Promise.reject(new Error("broken"));
  });
  await expect(failing).rejects.toThrow("broken");
  expect(attempts).toBe(1);
});
