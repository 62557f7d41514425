const clearLine = "\r\x1b[K";

/** Shows progress on stderr: in a terminal one line that is overwritten, otherwise a new line every five seconds. `fraction`: 0 to 1. */
export function showProgress(label: string) {
  const inTerminal = process.stderr.isTTY;
  const intervalMs = inTerminal ? 100 : 5_000;
  const startedAt = Date.now();
  let nextUpdateAt = startedAt + intervalMs;
  return {
    update({ events, fraction }: { events: number; fraction: number }): void {
      if (Date.now() < nextUpdateAt) return;
      nextUpdateAt = Date.now() + intervalMs;
      const seconds = (Date.now() - startedAt) / 1000;
      const speed = withSeparators(Math.round(events / seconds));
      const remaining = fraction > 0 ? `${Math.ceil((seconds * (1 - fraction)) / fraction)} s` : "?";
      const line = `${label}: ${Math.floor(fraction * 100)} %, ${withSeparators(events)} events, ${speed} events/s, ${remaining} left`;
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
