const clearLine = "\r\x1b[K";

/** Shows progress on stderr: in a terminal one line that is overwritten, otherwise a new line every five seconds. */
export function showProgress(label: string) {
  const inTerminal = process.stderr.isTTY;
  const intervalMs = inTerminal ? 100 : 5_000;
  const startedAt = Date.now();
  let nextUpdateAt = startedAt + intervalMs;
  return {
    update({ events, share }: { events: number; share: number }): void {
      if (Date.now() < nextUpdateAt) return;
      nextUpdateAt = Date.now() + intervalMs;
      const seconds = (Date.now() - startedAt) / 1000;
      const speed = withSeparators(Math.round(events / seconds));
      const remaining = share > 0 ? `${Math.ceil((seconds * (1 - share)) / share)} s` : "?";
      const line = `${label}: ${Math.floor(share * 100)} %, ${withSeparators(events)} events, ${speed} events/s, ${remaining} left`;
      process.stderr.write(inTerminal ? `${clearLine}${line}` : `${line}\n`);
    },
    stop: () => {
      if (inTerminal) process.stderr.write(clearLine);
    },
  };
}

export const withSeparators = (value: number | bigint): string => value.toLocaleString("en-US");

export const countText = (value: number | bigint, one: string, many: string): string =>
  `${withSeparators(value)} ${Number(value) === 1 ? one : many}`;
