// Notices that processes send each other through the database, so that a waiting process need not poll often. A notice is a hint: it may be
// lost, and behind a pooler none arrives. So a listener also polls: seldom while notices arrive, and often otherwise.
export const channels = {
  importQueued: "import_queued",
  /** The notice's text is the import's id. */
  importCancelled: "import_cancelled",
  deliveriesDue: "deliveries_due",
  reportWanted: "report_wanted",
  localitiesLoaded: "localities_loaded",
} as const;

export type Channel = (typeof channels)[keyof typeof channels];

export type NoticeListener = (text?: string) => void;

export interface Notices {
  /** Calls `listener` with each notice's text, and without a text whenever the connection is made or lost. Returns a function to stop. */
  on(channel: Channel, listener: NoticeListener): () => void;
  /** False behind a pooler, and while the connection is lost. */
  areArriving(): boolean;
}

export const noNotices: Notices = { on: () => () => undefined, areArriving: () => false };
