import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http2";

/** Credentials for the embedded event store: a user name and a random password, joined by a colon. */
export const newCredentials = (): string => `waybill:${randomBytes(32).toString("base64url")}`;

/**
 * Adds the credentials to the address twice: as user name and password, and as the connection name. EventStoreDB's client for Node does not
 * send a user name and password on an unencrypted connection, but it sends the connection name with every call.
 */
export const withCredentials = (address: string, credentials: string): string =>
  `${address.replace("://", `://${credentials}@`)}&connectionName=${encodeURIComponent(credentials)}`;

/**
 * Returns a check whether a call's headers have the credentials, as user name and password or as the connection name. The time that the
 * check takes reveals nothing about the credentials.
 */
export function credentialsCheck(credentials: string): (headers: IncomingHttpHeaders) => boolean {
  const expected = digest(credentials);
  const isEqual = (text: string) => timingSafeEqual(digest(text), expected);
  return ({ authorization = "", "connection-name": name }) =>
    isEqual(/^Basic ([\w+/=-]*)$/i.test(authorization) ? Buffer.from(authorization.slice(6), "base64").toString() : "") ||
    (typeof name === "string" && isEqual(name));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
