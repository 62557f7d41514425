import { once } from "node:events";
import { stopSignal, tellParent } from "../stopSignal.js";
import { FolderInUse } from "./log/folderClaim.js";
import { type EventStoreNodeOptions, startEventStoreNode } from "./node.js";

/** Serves in the foreground until it is asked to stop, or until a parent that forked it is gone. Resolves with the exit code. */
export async function runEventStoreNode(
  options: Omit<EventStoreNodeOptions, "report" | "onFailure">,
  say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Promise<number> {
  const asked = stopSignal();
  if (asked.aborted) return 0;
  const failed = new AbortController();
  const onFailure = (error: unknown): void => {
    say(`the event store could not write to ${options.dataDir} and ends: ${(error as Error).message}`);
    failed.abort();
  };
  try {
    const report = (message: string, error: unknown): void => say(`${message}: ${(error as Error).message}`);
    const node = await startEventStoreNode({ ...options, report, onFailure });
    say(`event store on ${node.address}`);
    tellParent({ address: node.address });
    const ending = AbortSignal.any([asked, failed.signal]);
    if (!ending.aborted) await once(ending, "abort");
    await node.stop();
    return failed.signal.aborted ? 1 : 0;
  } catch (error) {
    say(startFault(error, options));
    return 1;
  }
}

function startFault(error: unknown, { port, dataDir }: { port: number; dataDir: string }): string {
  if (error instanceof FolderInUse) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `port ${port} is in use: give the event store another one with --port.`;
  if (code === "EACCES") return `${dataDir} or port ${port} is not open to this user: ${message}`;
  return `the event store could not start: ${message}`;
}
