import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http2";

/** New credentials of the embedded event store: a user name and a password, joined by a colon. */
export const newCredentials = (): string => `waybill:${randomBytes(32).toString("base64url")}`;

/**
 * The address with the credentials in it twice: as user name and password, and as the connection name. EventStoreDB's client for Node does
 * not send a user name and password on an unencrypted connection, but it sends the connection name with every call.
 */
export const withCredentials = (address: string, credentials: string): string =>
  `${address.replace("://", `://${credentials}@`)}&connectionName=${encodeURIComponent(credentials)}`;

/**
 * Whether a call's headers carry the credentials, as user name and password or as the connection's name. The time that the check takes
 * tells nothing about the credentials.
 */
export function credentialsCheck(credentials: string): (headers: IncomingHttpHeaders) => boolean {
  const wanted = digest(credentials);
  const isRight = (given: string) => timingSafeEqual(digest(given), wanted);
  return ({ authorization = "", "connection-name": name }) =>
    isRight(/^Basic ([\w+/=-]*)$/i.test(authorization) ? Buffer.from(authorization.slice(6), "base64").toString() : "") ||
    (typeof name === "string" && isRight(name));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
