// src/domain/webhooks: what an endpoint can be told, where it may be, its secret, and how long it is tried.

/** What an endpoint can ask to be told; `ping` reaches every endpoint. */
export const webhookEventTypes = ["import.started", "import.completed", "import.failed", "import.cancelled"] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** The recorded event that each type tells of. */
export const toldOf = {
  ImportStarted: "import.started",
  ImportCompleted: "import.completed",
  ImportFailed: "import.failed",
  ImportCancelled: "import.cancelled",
} as const satisfies Record<string, WebhookEventType>;

export const isTold = (type: string): type is keyof typeof toldOf => Object.hasOwn(toldOf, type);

export const isWebhookEventType = (text: string): text is WebhookEventType => (webhookEventTypes as readonly string[]).includes(text);
