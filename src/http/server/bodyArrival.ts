import { Problem } from "./problem.js";

/** The time for a whole body, also for a sender that sends it very slowly. */
const readTimeoutMs = 60_000;
/** At least this much of a large body must arrive per period of silence. For a small body one byte is enough, since it takes little memory. */
const leastBytes = 16 * 1024;
/** So many checks in a row without new bytes are silence. Time is not measured: a process that could not run has not yet read what arrived. */
const silentLooks = 5;

export interface Arrival {
  readonly silenceMs: number;
  readonly bytesRead: (() => number) | undefined;
  /** Whether more than a small body has arrived. */
  readonly large: boolean;
}

type InTime = <T>(work: Promise<T>) => Promise<T>;

/** Runs `read` with one deadline for the whole body and a shorter one for a sender that is silent. */
export async function inTimeToArrive<T>(arrival: Arrival, read: (inTime: InTime) => Promise<T>): Promise<T> {
  let giveUp: (message: string) => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    giveUp = (message) => reject(new Problem("requestTimeout", message, { headers: { connection: "close" } }));
  });
  const deadline = setTimeout(() => giveUp("The body took too long to arrive, send the request again"), readTimeoutMs);
  const stopWatching = watch(arrival, () => giveUp("The body stopped arriving before its end, send the request again"));
  try {
    return await read((work) => Promise.race([work, late]));
  } finally {
    clearTimeout(deadline);
    stopWatching();
  }
}

function watch(arrival: Arrival, fellSilent: () => void): () => void {
  const { bytesRead, silenceMs } = arrival;
  if (bytesRead === undefined) return () => undefined;
  let seen = bytesRead();
  let looks = 0;
  const look = setInterval(() => {
    looks += 1;
    if (bytesRead() - seen >= (arrival.large ? leastBytes : 1)) {
      seen = bytesRead();
      looks = 0;
    } else if (looks === silentLooks) fellSilent();
  }, silenceMs / silentLooks);
  return () => clearInterval(look);
}
