// Logs of imports, corrections and reversals in any order that can happen, and a plain model of what they come to. The model applies one event
// at a time and looks at everything each time.
import type { EventType } from "../../src/events/registry.js";
import { streamOf } from "../../src/events/streams.js";
import { versionOf } from "../../src/events/upcasters.js";
import type { NewEvent, StoredEvent } from "../../src/ports/eventStore.js";
import type { Randomness } from "../faults/randomness.js";
import { activity, type Row, tell } from "../support/importStory.js";

export interface EventLog {
  readonly events: StoredEvent[];
  add(stream: string, event: Omit<NewEvent, "id">): void;
}

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

function eventLog(): EventLog {
  const events: StoredEvent[] = [];
  const revisions = new Map<string, bigint>();
  return {
    events,
    add(stream, { json, ...rest }) {
      const revision = revisions.get(stream) ?? 0n;
      revisions.set(stream, revision + 1n);
      const position = BigInt(events.length + 1) * 100n;
      const data = JSON.parse(json);
      events.push({
        ...rest,
        stream,
        revision,
        data,
        id: uuid(events.length + 1),
        position: { commit: position, prepare: position },
        recordedAt: new Date(0),
      });
    },
  };
}

interface Told {
  readonly importId: string;
  readonly corrects?: { readonly importId: string; readonly rows: number[]; readonly accepted: number[] };
  /** What is to become of its rows; none before its worker has claimed them. */
  rows?: Row[];
  ended: "" | "completed" | "abandoned";
  readonly reversed: Set<number>;
  withdrawn: boolean;
}

const by = { kind: "member", id: "m1" };
const at = "2026-03-01T10:00:00.000Z";
const reasons = ["Customer not found", "Valid quantity is required"];

/** A log of about `length` steps. Claims, dismissals and reopenings come before and after the reversals that they may have missed. */
export function randomLog(random: Randomness, length: number): StoredEvent[] {
  const log = eventLog();
  const imports: Told[] = [];
  const someOf = <Item>(items: readonly Item[]): Item[] => items.filter(() => random.chance(0.6));
  const outcome = (): Row => (random.chance(0.5) ? { accept: activity() } : { reject: random.pick(reasons) });
  const numbersOf = ({ rows = [] }: Told, kind: keyof UnionOf<Row>) => rows.flatMap((row, index) => (kind in row ? [index + 1] : []));
  const say = (stream: string, type: EventType, data: unknown) =>
    log.add(stream, {
      type,
      json: JSON.stringify(data),
      metadata: { organisation: "acme", actor: "member:m1", $correlationId: "r1", v: versionOf(type) },
    });
  const story = ({ importId, corrects, rows = [], ended }: Told) =>
    tell({
      ...{ importId, kind: "activities", source: "data", rows, end: ended === "completed" ? "completed" : "failed" },
      ...(corrects && { corrects }),
    });

  function request(told: Told): void {
    const [requested] = story(told).events;
    if (!requested) return;
    log.add(streamOf.import(told.importId), requested);
    imports.push(told);
  }
  function end(told: Told, completed: boolean): void {
    told.ended = completed ? "completed" : "abandoned";
    for (const event of story(told).events.slice(1)) log.add(streamOf.import(told.importId), event);
  }
  const newImport = (corrects?: Told["corrects"]): Told => ({
    importId: uuid(1_000_000 + imports.length),
    ...(corrects ? { corrects } : {}),
    ended: "",
    reversed: new Set(),
    withdrawn: false,
  });
  const completed = () => imports.filter(({ ended }) => ended === "completed");

  const steps: Record<string, () => void> = {
    push() {
      const told = { ...newImport(), rows: [outcome(), outcome(), outcome()] };
      request(told);
      end(told, random.chance(0.9));
    },
    correct() {
      const of = random.pick(completed());
      if (!of) return;
      const rows = someOf([3, 1, 2].filter((row) => row <= (of.rows ?? []).length));
      const accepted = numbersOf(of, "accept").filter((row) => rows.includes(row));
      if (rows.length > 0) request(newImport({ importId: of.importId, rows, accepted }));
    },
    claim() {
      const told = random.pick(imports.filter(({ corrects, rows, ended }) => corrects && !rows && ended === ""));
      if (!told?.corrects) return;
      const { importId, rows } = told.corrects;
      const refused = rows.flatMap((row, index) =>
        random.chance(0.15) ? [{ row, correctionRow: index + 1, why: random.pick(["claimed", "dismissed"]), importId: uuid(7) }] : [],
      );
      const lost = new Set(refused.map(({ row }) => row));
      told.rows = rows.map((row) => (lost.has(row) ? { reject: "Already corrected" } : outcome()));
      const kept = rows.filter((row) => !lost.has(row));
      say(streamOf.corrections(importId), "RowsClaimed", { importId, correction: told.importId, rows: kept, refused, by, at });
    },
    end() {
      const told = random.pick(imports.filter(({ ended }) => ended === ""));
      if (told) end(told, told.rows !== undefined && random.chance(0.8));
    },
    dismiss() {
      const told = random.pick(completed());
      const rows = told ? someOf(numbersOf(told, "reject")) : [];
      if (told && rows.length > 0)
        say(streamOf.corrections(told.importId), "RowsDismissed", { importId: told.importId, rows, note: "n", by, at });
    },
    reopen() {
      const told = random.pick(completed());
      const rows = told ? someOf(numbersOf(told, "reject")) : [];
      if (told && rows.length > 0) say(streamOf.corrections(told.importId), "RowsReopened", { importId: told.importId, rows, by, at });
    },
    reverse() {
      const told = random.pick(completed().filter(({ withdrawn }) => !withdrawn));
      if (!told) return;
      const all = random.chance(0.4);
      const left = numbersOf(told, "accept").filter((row) => !told.reversed.has(row));
      const rows = all ? left : someOf(left);
      if (!all && rows.length === 0) return;
      told.withdrawn = all;
      for (const row of rows) told.reversed.add(row);
      say(streamOf.reversals(told.importId), "RowsReversed", {
        importId: told.importId,
        reversalId: uuid(2_000_000 + log.events.length),
        rows: all ? "all" : rows.map((row) => [row, row]),
        count: rows.length,
        reason: "the same file twice",
        by,
        at,
      });
    },
  };
  const usual = ["push", "correct", "correct", "claim", "claim", "end", "end", "end", "dismiss", "reopen", "reverse", "reverse"];
  for (let step = 0; step < length; step += 1) steps[random.pick(usual)]?.();
  return log.events;
}

type UnionOf<Union> = Union extends unknown ? { [Key in keyof Union]: Union[Key] } & Record<"accept" | "reject", unknown> : never;

interface Link {
  readonly of: string;
  readonly by: string;
  readonly correction: string;
  state: "submitted" | "claimed" | "corrected";
  reversed: boolean;
}

/** What the tables ought to have, as sorted texts. */
export interface Expected {
  readonly links: string[];
  readonly finished: string[];
  readonly withdrawn: string[];
  /** By import and reason: rows, open, submitted, dismissed, corrected. */
  readonly groups: string[];
}

export function expectedOf(events: readonly StoredEvent[]): Expected {
  let links: Link[] = [];
  const finished = new Map<string, string>();
  const withdrawn = new Set<string>();
  const reversed = new Set<string>();
  const rejected = new Map<string, string>();
  const completed = new Set<string>();
  const isHeld = (row: string) => links.some(({ of }) => of === row) || finished.has(row);
  for (const { type, data: any, stream } of events) {
    // biome-ignore lint/suspicious/noExplicitAny: the events of many types, as the test itself has made them
    const data = any as any;
    const key = (row: number) => `${data.importId} ${row}`;
    switch (type as EventType) {
      case "ImportRequested":
        for (const [index, row] of (data.corrects?.rows ?? []).entries())
          links.push({
            of: `${data.corrects.importId} ${row}`,
            by: `${data.importId} ${index + 1}`,
            correction: data.importId,
            state: "submitted",
            reversed: false,
          });
        break;
      case "RowRejected":
        rejected.set(`${stream.slice(streamOf.import("").length)} ${data.row}`, data.error);
        break;
      case "RowsClaimed": {
        const late = data.rows.filter((row: number) => withdrawn.has(data.importId) || reversed.has(key(row)));
        for (const link of links)
          if (link.correction === data.correction && link.state === "submitted" && data.rows.some((row: number) => link.of === key(row)))
            link.state = "claimed";
        const refused = [...data.refused, ...late.map((row: number) => ({ row, why: "reversed" }))];
        for (const { row, why } of refused) {
          const link = links.find(({ correction, of }) => correction === data.correction && of === key(row));
          if (link && !finished.has(link.by))
            finished.set(link.by, { claimed: "corrected", dismissed: "dismissed" }[why as string] ?? "withdrawn");
          links = links.filter((each) => each !== link);
        }
        const kept = new Set(data.rows.filter((row: number) => !refused.some((each) => each.row === row)).map(key));
        links = links.filter(({ of, correction, state }) => !(kept.has(of) && correction !== data.correction && state === "corrected"));
        break;
      }
      case "RowsDismissed":
        if (!withdrawn.has(data.importId)) for (const row of data.rows) if (!finished.has(key(row))) finished.set(key(row), "dismissed");
        break;
      case "RowsReopened":
        if (!withdrawn.has(data.importId)) for (const row of data.rows) finished.delete(key(row));
        break;
      case "RowsReversed":
        if (data.rows === "all") withdrawn.add(data.importId);
        else for (const [row] of data.rows) reversed.add(key(row));
        for (const link of links)
          if (link.correction === data.importId && (data.rows === "all" || reversed.has(link.by))) link.reversed = true;
        break;
      case "ImportCompleted":
        completed.add(data.importId);
        for (const link of links) if (link.correction === data.importId) link.state = "corrected";
        break;
      case "ImportFailed":
        links = links.filter(({ correction }) => correction !== data.importId);
        break;
    }
    for (let before = -1; before !== links.length; ) {
      before = links.length;
      const free = links.find((link) => link.reversed && !isHeld(link.by));
      links = links.filter((link) => link !== free);
    }
  }
  const groups = new Map<string, Record<string, number>>();
  for (const [row, reason] of rejected) {
    const importId = row.split(" ")[0] ?? "";
    if (!completed.has(importId)) continue;
    const own = links.filter(({ of }) => of === row);
    const kept = own.length === 0 ? finished.get(row) : own.some(({ state }) => state === "corrected") ? "corrected" : "submitted";
    const state = kept ?? (withdrawn.has(importId) ? "withdrawn" : "open");
    const group = groups.get(`${importId} ${reason}`) ?? { rows: 0, open: 0, submitted: 0, dismissed: 0, corrected: 0 };
    groups.set(`${importId} ${reason}`, group);
    for (const count of ["rows", state]) if (count in group) group[count] = (group[count] ?? 0) + 1;
  }
  return {
    links: links.map(({ of, by: row, state, reversed: marked }) => `${of} <- ${row} ${state}${marked ? " reversed" : ""}`).sort(),
    finished: [...finished].map((each) => each.join(" ")).sort(),
    withdrawn: [...withdrawn].sort(),
    groups: [...groups]
      .map(([group, { rows, open, submitted, dismissed, corrected }]) => `${group}: ${rows} ${open} ${submitted} ${dismissed} ${corrected}`)
      .sort(),
  };
}
