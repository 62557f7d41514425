export * from "./errors.js";
export type { AnyImport, PushOptions, UploadOptions } from "./imports.js";
export type { CallOptions, WaybillOptions } from "./transport.js";
export type * from "./types.js";
export type { UploadSource } from "./upload.js";
export type { WaitOptions } from "./waiting.js";
export { Waybill } from "./waybill.js";
export { verifyWebhook, type WebhookMessage } from "./webhooks.js";
