import { Session } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";

/** How many calls of functions of the files below `folder` of the sources, or of what the build made of them, `work` makes: a measure of work that no load changes. */
export async function countedCalls(folder: string, work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  setFlagsFromString("--no-opt"); // calls of optimised functions are not counted
  try {
    await session.post("Profiler.enable");
    // A function whose optimising began before may still become optimised in the middle of a count. Then the next count differs.
    let before = -1;
    for (;;) {
      const calls = await countOnce(session, folder, work);
      if (calls === before) return calls;
      before = calls;
    }
  } finally {
    setFlagsFromString("--opt");
    session.disconnect();
  }
}

/** Starting to count discards the code of all optimised functions. */
async function countOnce(session: Session, folder: string, work: () => unknown): Promise<number> {
  await session.post("Profiler.startPreciseCoverage", { callCount: true });
  work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const calls = result
    .filter(({ url }) => url.includes(folder) || url.includes(folder.replace("/src/", "/dist/")))
    .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count));
  return calls.reduce<number>((sum, count = 0) => sum + count, 0);
}
