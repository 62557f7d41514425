// test/faults runs the product while processes are killed, stores are away, clocks differ and callers are hostile.
// Vitest runs the short form; `npm run faults -- --seed N --runs M` the long one. A failing run prints its seed.
import { randomInt } from "node:crypto";

const given = (name: string) => {
  const text = process.env[name];
  return text === undefined || text === "" ? undefined : Number(text);
};

/** The number of runs given on the command line; undefined in the short form. */
export const runs = given("FAULTS_RUNS");
export const long = runs !== undefined;
/** The first run's seed; each later run has the next number. */
export const firstSeed = given("FAULTS_SEED") ?? randomInt(1, 1_000_000_000);
/** Minutes of load in the long form. */
export const loadMinutes = given("FAULTS_LOAD");

/** Makes `count` runs, each with its own seed. A failure says how to repeat it. */
export async function eachRun(count: number, run: (seed: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const seed = firstSeed + n;
    const started = performance.now();
    try {
      await run(seed);
    } catch (error) {
      throw new Error(`run ${n + 1} of ${count} failed; repeat it with: npm run faults -- --seed ${seed} --runs 1`, { cause: error });
    }
    if (long)
      process.stderr.write(`run ${n + 1} of ${count}, seed ${seed}: green in ${Math.round((performance.now() - started) / 1000)} s\n`);
  }
}
