import { systemReason } from "../portErrors.js";
import { remark } from "./outcome.js";

/** Whoever reads our output may go away (`| head`): they have seen enough. A result that is lost in any other way is a fault. */
export function watchOutput(): void {
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    const lost = `The output could not be written: ${systemReason(error)}`;
    remark(`${lost}. What was asked for may be done all the same: look before you repeat it.`);
  });
  // Every further write fails alike, and a lost line on stderr can be told nobody.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
