const beginningOfLine = "\r\x1b[K";

/** A line on stderr that is written again and again in a terminal, otherwise a line now and then. Results go to stdout either way. */
export function showProgress(label: string) {
  const inTerminal = process.stderr.isTTY;
  const everyMs = inTerminal ? 100 : 5_000;
  const begun = Date.now();
  let due = begun + everyMs;
  return {
    update({ events, share }: { events: number; share: number }): void {
      if (Date.now() < due) return;
      due = Date.now() + everyMs;
      const seconds = (Date.now() - begun) / 1000;
      const speed = withSeparators(Math.round(events / seconds));
      const left = share > 0 ? `${Math.ceil((seconds * (1 - share)) / share)} s` : "?";
      const line = `${label}: ${Math.floor(share * 100)} %, ${withSeparators(events)} events, ${speed} events/s, ${left} left`;
      process.stderr.write(inTerminal ? `${beginningOfLine}${line}` : `${line}\n`);
    },
    stop: () => {
      if (inTerminal) process.stderr.write(beginningOfLine);
    },
  };
}

export const withSeparators = (value: number | bigint): string => value.toLocaleString("en-US");

export const countOf = (value: number | bigint, one: string, many: string): string =>
  `${withSeparators(value)} ${Number(value) === 1 ? one : many}`;
