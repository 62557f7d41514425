import { hashSync } from "@node-rs/argon2";
import type { Passwords } from "../../src/ports/people.js";

/**
 * Argon2id as the product hashes, for a thousandth of the work. A hash says what it was made with, so the product compares with it as quickly.
 * `test/domain/members/password.test.ts` is about the real strength.
 */
export const quickly = (passwords: Passwords): Passwords => ({
  ...passwords,
  hash: async (password) => hashSync(password, { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 }),
});
