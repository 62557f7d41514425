import { Presets, SingleBar } from "cli-progress";

export interface Progress {
  update(progress: { events: number; share: number }): void;
  stop(): void;
}

const plainEveryMs = 5_000;

/** A progress bar in a terminal, otherwise a plain line on stderr now and then. Results go to stdout either way. */
export function showProgress(label: string): Progress {
  return process.stderr.isTTY ? bar(label) : plainLines(label);
}

function bar(label: string): Progress {
  const format = `${label} {bar} {percentage} % | {count} events | {speed} events/s | {left} left`;
  const shown = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  const paced = pace();
  shown.start(1000, 0, { count: 0, speed: 0, left: "?" });
  return {
    update(progress) {
      const { speed, left } = paced(progress);
      shown.update(Math.floor(progress.share * 1000), { count: withSeparators(progress.events), speed: withSeparators(speed), left });
    },
    stop: () => shown.stop(),
  };
}

function plainLines(label: string): Progress {
  const paced = pace();
  let due = Date.now() + plainEveryMs;
  return {
    update(progress) {
      if (Date.now() < due) return;
      due = Date.now() + plainEveryMs;
      const { speed, left } = paced(progress);
      const share = Math.floor(progress.share * 100);
      process.stderr.write(
        `${label}: ${share} %, ${withSeparators(progress.events)} events, ${withSeparators(speed)} events/s, ${left} left\n`,
      );
    },
    stop: () => undefined,
  };
}

function pace(): (progress: { events: number; share: number }) => { speed: number; left: string } {
  const begun = Date.now();
  return ({ events, share }) => {
    const seconds = Math.max(0.001, (Date.now() - begun) / 1000);
    const left = share > 0 ? Math.ceil((seconds * (1 - share)) / share) : undefined;
    return { speed: Math.round(events / seconds), left: left === undefined ? "?" : `${left} s` };
  };
}

export const withSeparators = (value: number | bigint): string => value.toLocaleString("en-US");

export const countOf = (value: number | bigint, one: string, many: string): string =>
  `${withSeparators(value)} ${Number(value) === 1 ? one : many}`;
