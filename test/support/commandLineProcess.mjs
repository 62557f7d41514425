// Runs many commands in one process, one after the other. Each line of standard input has the arguments and the environment of a command,
// and a mark that is printed after the command's output.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const program = new URL("bundle/cli.js", pathToFileURL(process.argv[2])).href; // the program only imports this file
const own = new Set(process.eventNames());
let runs = 0;

process.exit = () => undefined; // a command calls this at its end; this process must go on
for await (const line of createInterface({ input: process.stdin })) {
  const { args, environment, mark } = JSON.parse(line);
  process.argv.splice(1, Infinity, process.argv[1], ...args);
  process.env = environment;
  process.exitCode = undefined;
  try {
    await import(`${program}?${runs++}`); // runs this module again; the modules that it imports stay loaded
  } catch (error) {
    process.stderr.write(`${error.stack}\n`); // as Node prints an uncaught error
    process.exitCode = 1;
  }
  const code = process.exitCode ?? 0;
  for (const name of process.eventNames()) if (!own.has(name)) process.removeAllListeners(name);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error");
  process.stdout.write(`${mark} ${code}\n`);
  process.stderr.write(`${mark}\n`);
}
process.reallyExit(0);
