import { type ChildProcess, fork } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeStoreFolder, startTestEventStore, type TestEventStore } from "./eventStore.js";

/** The process of this worker's event stores. It ends when the worker does, since the IPC channel closes then. */
let host: ChildProcess | undefined;
let asked = 0;

interface Answer {
  readonly id: number;
  readonly address?: string;
  readonly fault?: string;
}

/** As `startTestEventStore`, but in a process with those of other test files: for tests that neither kill nor freeze the store, or restart it. */
export async function startHostedEventStore(): Promise<TestEventStore> {
  if (process.env["TEST_EVENTSTORE_URL"] || process.env["TEST_EVENTSTORE_COMMAND"]) return startTestEventStore();
  const folder = makeStoreFolder();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const id = ++asked;
  const refuse = async (): Promise<void> => {
    throw new Error("this event store shares its process: start the test's own with startTestEventStore");
  };
  try {
    const address = await ask({ id, folder });
    const stop = async () => {
      await ask({ id, stop: true });
      remove();
    };
    return { address, folder, pid: undefined, stop, kill: refuse, restart: refuse };
  } catch (error) {
    remove();
    throw error;
  }
}

function startHost(): ChildProcess {
  const started = fork(fileURLToPath(new URL("./eventStoreHost.mjs", import.meta.url)), { execArgv: [] });
  started.setMaxListeners(0);
  started.once("exit", () => {
    host = undefined;
  });
  started.unref();
  started.channel?.unref();
  return started;
}

/** Sends a message to the host, and waits for the answer with the same id. */
function ask(message: { readonly id: number; readonly folder?: string; readonly stop?: boolean }): Promise<string> {
  host ??= startHost();
  const asking = host;
  return new Promise((resolve, reject) => {
    const done = () => asking.off("message", take).off("exit", ended);
    const take = ({ id, address = "", fault }: Answer) => {
      if (id !== message.id) return;
      done();
      if (fault === undefined) resolve(address);
      else reject(new Error(fault));
    };
    const ended = (code: number | null) => {
      done();
      reject(new Error(`the process of the event stores ended with ${code}`));
    };
    asking.on("message", take).once("exit", ended);
    asking.send(message);
  });
}
