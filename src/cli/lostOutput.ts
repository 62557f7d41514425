import { systemReason } from "../portErrors.js";
import { remark } from "./outcome.js";

/** A closed pipe, such as that of `| head`, is no error. A result that is lost in another way, such as on a full disk, is one. */
export function watchOutput(): void {
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    const lost = `The output could not be written: ${systemReason(error)}`;
    remark(`${lost}. What was asked for may be done all the same: look before you repeat it.`);
  });
  // Further writes fail as well, and a lost line on stderr cannot be reported anywhere.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
