// Simulates a process that dies at a given call: from then on none of its calls reaches a store.
import type { Pool, PoolClient } from "pg";
import type { ApiDeps } from "../../../src/http/api/deps.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import type { ObjectStore } from "../../../src/ports/objectStore.js";
import { everyCase } from "../../support/projects/everyCase.js";
import type { TestService } from "../../support/service.js";
import { long } from "../scale.js";

export interface CrashPoint {
  readonly call: "append" | "put" | "sql";
  /** Matched with the first event's type (of a chunk of rows: `First to Last`), the object's key, or the statement. */
  readonly on: RegExp;
  readonly when: "before" | "after";
  /** Dies at the n-th matching call, counted from 1. */
  readonly nth?: number;
}

export interface Mortal {
  readonly service: TestService;
  died(): boolean;
}

export function mortal(service: TestService, point: CrashPoint): Mortal {
  let seen = 0;
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Error("this process is dead");
  };
  const pass = async <Result>(call: CrashPoint["call"], what: string, work: () => Promise<Result>): Promise<Result> => {
    if (dead) return die();
    const hit = call === point.call && point.on.test(what) && ++seen === (point.nth ?? 1);
    if (hit && point.when === "before") return die();
    const result = await work();
    return hit || dead ? die() : result;
  };
  const { eventStore, objectStore, pool } = service.deps;
  const deps: ApiDeps = {
    ...service.deps,
    eventStore: mortalEvents(eventStore, pass, () => dead && die()),
    objectStore: mortalObjects(objectStore, pass),
    pool: mortalPool(pool, pass),
  };
  return { service: { ...service, deps }, died: () => dead };
}

type Pass = <Result>(call: CrashPoint["call"], what: string, work: () => Promise<Result>) => Promise<Result>;

function mortalEvents(store: EventStore, pass: Pass, breathe: () => void): EventStore {
  return {
    ...store,
    newChunk: (...asked) => {
      const chunk = store.newChunk(...asked);
      let types: string[] = [];
      return {
        count: chunk.count,
        add(event) {
          const added = chunk.add(event);
          if (added) types.push(event.type);
          return added;
        },
        append(expected) {
          const label = `${types[0]} to ${types.at(-1)}`;
          types = [];
          return pass("append", label, () => chunk.append(expected));
        },
      };
    },
    append: (stream, events, ...rest) => pass("append", events[0]?.type ?? "", () => store.append(stream, events, ...rest)),
    last: (stream) => pass("append", "", () => store.last(stream)),
    async *read(...args) {
      breathe();
      yield* store.read(...args);
    },
    follow: (options, deal) =>
      store.follow(options, async (batch) => {
        breathe();
        await deal(batch);
      }),
  };
}

function mortalObjects(store: ObjectStore, pass: Pass): ObjectStore {
  return {
    ...store,
    put: (key, ...rest) => pass("put", key, () => store.put(key, ...rest)),
    fetch: (key, ...rest) => pass("put", "", () => store.fetch(key, ...rest)),
    read: (key) => pass("put", "", () => store.read(key)),
    remove: (key) => pass("put", "", () => store.remove(key)),
  };
}

type Query = (...args: unknown[]) => unknown;

function mortalPool(pool: Pool, pass: Pass): Pool {
  const query = mortalQuery(pool.query.bind(pool) as Query, pass);
  const connect = async () => mortalClient((await pass("sql", "", () => pool.connect())) as PoolClient, pass);
  return override(pool, { query, connect });
}

function mortalClient(client: PoolClient, pass: Pass): PoolClient {
  return override(client, { query: mortalQuery(client.query.bind(client) as Query, pass) });
}

/** Statements can be crash points; COPY streams are passed on. */
function mortalQuery(query: Query, pass: Pass): Query {
  return (first: unknown, ...rest: unknown[]) => {
    const statement = first as string | { readonly text?: string; readonly submit?: unknown };
    if (typeof statement !== "string" && statement.submit) return query(first, ...rest);
    return pass("sql", typeof statement === "string" ? statement : (statement.text ?? ""), async () => query(first, ...rest));
  };
}

function override<Target extends object>(target: Target, own: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === "string" && name in own) return own[name];
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Crash points before and after each call. The short form has no point before a later call: it is nearly the same as after the call before. */
export const aroundEach = (points: readonly (readonly [string, Omit<CrashPoint, "when">])[]): [string, CrashPoint][] =>
  points.flatMap(([what, point], index) => {
    const sides = index === 0 || long || everyCase ? (["before", "after"] as const) : (["after"] as const);
    return sides.map((when): [string, CrashPoint] => [`${when} ${what}`, { ...point, when }]);
  });
