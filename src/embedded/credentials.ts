import { randomBytes } from "node:crypto";

/** Of the embedded event store: a user name and a password, joined by a colon. */
export const newCredentials = (): string => `waybill:${randomBytes(32).toString("base64url")}`;

/**
 * The address with the credentials in it. They stand there twice: clients send a user name and a password only on an encrypted
 * connection, or as EventStoreDB's own for Node does, not at all on an unencrypted one. Its connection name it sends with every call.
 */
export const withCredentials = (address: string, credentials: string): string =>
  `${address.replace("://", `://${credentials}@`)}&connectionName=${encodeURIComponent(credentials)}`;
