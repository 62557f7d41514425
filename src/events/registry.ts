// All event types, by the kind of stream they belong to. Type strings are on disk and are never renamed.
import type { z } from "zod";
import { correctionEvents, reversalEvents } from "./correctionEvents.js";
import { importEvents } from "./importEvents.js";
import { memberEvents, signInEvents } from "./memberEvents.js";
import { organisationEvents } from "./organisationEvents.js";
import { quoteEvents, quotesEvents } from "./quoteEvents.js";
import { localityEvents, logEvents } from "./serviceEvents.js";

export const streamEvents = {
  log: logEvents,
  import: importEvents,
  corrections: correctionEvents,
  reversals: reversalEvents,
  organisation: organisationEvents,
  quotes: quotesEvents,
  quote: quoteEvents,
  localities: localityEvents,
  member: memberEvents,
  signIns: signInEvents,
} as const;

export const eventSchemas = {
  ...logEvents,
  ...importEvents,
  ...correctionEvents,
  ...reversalEvents,
  ...organisationEvents,
  ...quotesEvents,
  ...quoteEvents,
  ...localityEvents,
  ...memberEvents,
  ...signInEvents,
} as const;

export type StreamKind = keyof typeof streamEvents;
export type EventType = keyof typeof eventSchemas;
/** For several kinds: the events of each of them. */
export type EventTypeOn<S extends StreamKind> = S extends StreamKind ? keyof (typeof streamEvents)[S] & EventType : never;
export type EventDataOf<T extends EventType> = z.infer<(typeof eventSchemas)[T]>;

/** An event of one kind of stream. A switch over its `type` that leaves out a type does not compile. */
export type EventOn<S extends StreamKind> = { [T in EventTypeOn<S>]: { readonly type: T; readonly data: EventDataOf<T> } }[EventTypeOn<S>];

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventSchemas, type);
export const isEventOn = <S extends StreamKind>(kind: S, type: string): type is EventTypeOn<S> => Object.hasOwn(streamEvents[kind], type);
