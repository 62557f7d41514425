// The command line, one command after the other in one process: for each line of standard input it runs the program with those arguments and
// that environment, as a process of its own would, and ends what it wrote with a mark.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const program = new URL("bundle/cli.js", pathToFileURL(process.argv[2])).href; // which the program itself only imports
const own = new Set(process.eventNames());
let runs = 0;

process.exit = () => undefined; // a command ends with this
for await (const line of createInterface({ input: process.stdin })) {
  const { args, environment, mark } = JSON.parse(line);
  process.argv.splice(1, Infinity, process.argv[1], ...args);
  process.env = environment;
  process.exitCode = undefined;
  try {
    await import(`${program}?${runs++}`); // runs the first module again; what it imports is loaded once
  } catch (error) {
    process.stderr.write(`${error.stack}\n`); // as Node does
    process.exitCode = 1;
  }
  const code = process.exitCode ?? 0;
  for (const name of process.eventNames()) if (!own.has(name)) process.removeAllListeners(name);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error");
  process.stdout.write(`${mark} ${code}\n`);
  process.stderr.write(`${mark}\n`);
}
process.reallyExit(0);
