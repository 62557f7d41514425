import { randomBytes } from "node:crypto";

/** New credentials of the embedded event store: a user name and a password, joined by a colon. */
export const newCredentials = (): string => `waybill:${randomBytes(32).toString("base64url")}`;

/**
 * The address with the credentials in it twice: as user name and password, and as the connection name. EventStoreDB's client for Node does
 * not send a user name and password on an unencrypted connection, but it sends the connection name with every call.
 */
export const withCredentials = (address: string, credentials: string): string =>
  `${address.replace("://", `://${credentials}@`)}&connectionName=${encodeURIComponent(credentials)}`;
