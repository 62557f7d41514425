// What processes tell each other through the database, so that a process that waits need not ask often. A notice is a hint: it may be lost, and
// behind a pooler none arrives. So whoever hears notices also asks by itself, seldom while they arrive and often while they do not.
export const channels = {
  importQueued: "import_queued",
  /** Its text is the import's id. */
  importCancelled: "import_cancelled",
  deliveriesDue: "deliveries_due",
  reportWanted: "report_wanted",
  localitiesLoaded: "localities_loaded",
} as const;

export type Channel = (typeof channels)[keyof typeof channels];

export type NoticeListener = (text?: string) => void;

export interface Notices {
  /** Calls `hear` with each notice's text, and without one when notices may have been missed or no longer arrive. Returns a function that ends this. */
  on(channel: Channel, hear: NoticeListener): () => void;
  /** False behind a pooler, and while the connection is lost. */
  arrive(): boolean;
}

export const noNotices: Notices = { on: () => () => undefined, arrive: () => false };
