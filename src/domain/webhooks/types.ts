// The types of webhook. Everything that lists them follows from here: the endpoints' choice, the follower, the OpenAPI document, the portal.

/** What an endpoint can choose to be told: the recorded event behind each type, the kind of its stream, and what it means. */
export const toldEvents = {
  "import.started": { recorded: "ImportStarted", stream: "import", meaning: "An import has started" },
  "import.completed": {
    recorded: "ImportCompleted",
    stream: "import",
    meaning: "An import has completed: its rows are recorded, except those that were rejected",
  },
  "import.failed": { recorded: "ImportFailed", stream: "import", meaning: "An import could not run: nothing was recorded" },
  "import.cancelled": { recorded: "ImportCancelled", stream: "import", meaning: "An import was cancelled: nothing was recorded" },
  "import.reversed": { recorded: "RowsReversed", stream: "reversals", meaning: "Rows of an import were reversed" },
} as const satisfies Record<string, { readonly recorded: string; readonly stream: string; readonly meaning: string }>;

/** Reaches every endpoint, whatever it has chosen. It tells of no recorded event. */
export const ping = { type: "ping", meaning: "A test of the endpoint" } as const;

export type WebhookEventType = keyof typeof toldEvents;
/** The kinds of stream whose events endpoints are told of. */
export type ToldStream = (typeof toldEvents)[WebhookEventType]["stream"];

export const webhookEventTypes = Object.keys(toldEvents) as readonly WebhookEventType[];

export const isWebhookEventType = (text: string): text is WebhookEventType => Object.hasOwn(toldEvents, text);

/** Undefined for a recorded event that endpoints are not told of. */
export const typeToldOf = (recorded: string): WebhookEventType | undefined => byRecorded.get(recorded);

const byRecorded = new Map<string, WebhookEventType>(webhookEventTypes.map((type) => [toldEvents[type].recorded, type]));
