// The types of webhook. All lists of them follow from here: the endpoints' choice, the follower, the OpenAPI document, the portal.

/** The types that an endpoint can choose: the recorded event behind each type, the kind of its stream, and what it means. */
export const webhookEventsByType = {
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

/** Reaches every endpoint, whatever it has chosen. It stands for no recorded event. */
export const ping = { type: "ping", meaning: "A test of the endpoint" } as const;

export type WebhookEventType = keyof typeof webhookEventsByType;
/** The kinds of stream that have events with a webhook. */
export type WebhookStream = (typeof webhookEventsByType)[WebhookEventType]["stream"];

export const webhookEventTypes = Object.keys(webhookEventsByType) as readonly WebhookEventType[];

export const isWebhookEventType = (text: string): text is WebhookEventType => Object.hasOwn(webhookEventsByType, text);

/** Undefined for a recorded event without a webhook. */
export const webhookTypeOf = (recorded: string): WebhookEventType | undefined => byRecorded.get(recorded);

const byRecorded = new Map<string, WebhookEventType>(webhookEventTypes.map((type) => [webhookEventsByType[type].recorded, type]));
