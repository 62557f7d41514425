import { hashSync } from "@node-rs/argon2";
import type { Passwords } from "../../src/ports/people.js";

/**
 * Hashes with Argon2id as the product does, but with a thousandth of the work. A hash contains its parameters, so the product verifies it as
 * quickly. `test/domain/password.test.ts` tests the real strength.
 */
export const quickly = (passwords: Passwords): Passwords => ({
  ...passwords,
  hash: async (password) => hashSync(password, { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 }),
});
