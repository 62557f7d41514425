// Replaces values that differ from run to run by fixed, readable ones; equal values stay equal.

interface Run {
  readonly url: string;
  readonly receiver: string;
  readonly dataDir: string;
}

const hour = 3_600_000;

export function createStandIns({ url, receiver, dataDir }: Run) {
  const ids = new Map<string, string>();
  const idFor = (id: string) => {
    if (!ids.has(id)) ids.set(id, `0198c2f0-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    return String(ids.get(id));
  };
  const keys = new Map<string, string>();
  const letters = "AbCdEfGhJkLm";
  /** Replaces a key or the beginning of a key; the same key always gets the same letters. */
  const keyFor = (beginning: string, more: string) => {
    if (!keys.has(beginning)) keys.set(beginning, (letters[keys.size] ?? "x").repeat(4));
    return `wb_live_${keys.get(beginning)}${more.replaceAll(/\w/g, "x")}`;
  };
  const timeFor = (time: string) => (Math.abs(Date.parse(time) - Date.now()) < hour ? "2026-07-03T00:30:00.000Z" : time);
  return {
    /** The commands with this run's address and port. */
    into: (commands: string) => commands.replaceAll("http://127.0.0.1:3000", url).replaceAll("14000", receiver),
    /** The output as the guide shows it. */
    outOf: (output: string) =>
      output
        .replaceAll(url, "http://127.0.0.1:3000")
        .replaceAll(`127.0.0.1:${receiver}`, "127.0.0.1:14000")
        .replaceAll(dataDir, ".waybill")
        .replaceAll(/wb_live_(\w{4})(\w*)/g, (_, beginning: string, more: string) => keyFor(beginning, more))
        .replaceAll(/portal\/join\/[\w-]+/g, "portal/join/...")
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, idFor)
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, timeFor)
        .replaceAll(/(files\/[^?"\s]+)\?[^"\s]+/g, "$1?signature=...")
        .replaceAll(/position \d+/g, "position 1000")
        .replaceAll(/in \d+\.\d s/g, "in 0.1 s")
        .replaceAll(/in \d+ ms/g, "in 10 ms"),
  };
}
