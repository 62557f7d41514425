/** As many as EventStoreDB remembers, roughly. Two halves, so that the older one can be dropped whole. */
const REMEMBERED = 160_000;

/** The events that one append brought to a stream. */
interface Run {
  first: number;
  ids: readonly string[];
}

interface StreamRuns {
  runs: Run[];
  /** Made when the stream is first asked about: most streams never are, and an import appends hundreds of thousands. */
  revisions: Map<string, number> | undefined;
}

/** Which ids were appended lately, where to. Lost at a restart, as the server's own memory is. */
export function createRecentIds(remembered = REMEMBERED) {
  let young = new Map<string, StreamRuns>();
  let old: typeof young = new Map();
  let count = 0;

  return {
    /** `first` is the revision of the first of them. */
    add(stream: string, ids: readonly string[], first: number): void {
      const run = { first, ids };
      const known = young.get(stream);
      if (!known) young.set(stream, { runs: [run], revisions: undefined });
      else {
        known.runs.push(run);
        if (known.revisions) enter(known.revisions, run);
      }
      count += ids.length;
      if (count < remembered / 2) return;
      old = young;
      young = new Map();
      count = 0;
    },
    revisionOf(stream: string, id: string): number | undefined {
      return find(young.get(stream), id) ?? find(old.get(stream), id);
    },
  };
}

function find(stream: StreamRuns | undefined, id: string): number | undefined {
  if (!stream) return undefined;
  if (!stream.revisions) {
    stream.revisions = new Map();
    for (const run of stream.runs) enter(stream.revisions, run);
  }
  return stream.revisions.get(id);
}

function enter(revisions: Map<string, number>, { first, ids }: Run): void {
  for (let index = 0; index < ids.length; index += 1) revisions.set(ids[index] as string, first + index);
}
