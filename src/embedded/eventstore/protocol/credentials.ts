import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http2";

/** A user name and a password, joined by a colon. */
export type Credentials = string;

export const newCredentials = (): Credentials => `waybill:${randomBytes(32).toString("base64url")}`;

/**
 * The address with the credentials in it. They stand there twice: clients send a user name and a password only on an encrypted
 * connection, or as EventStoreDB's own for Node does, not at all on an unencrypted one. Its connection name it sends with every call.
 */
export const withCredentials = (address: string, credentials: Credentials): string =>
  `${address.replace("://", `://${credentials}@`)}&connectionName=${encodeURIComponent(credentials)}`;

/** Whether a call's headers carry the credentials. The time it takes tells nothing about them. */
export function credentialsCheck(credentials: Credentials): (headers: IncomingHttpHeaders) => boolean {
  const wanted = digest(credentials);
  const isRight = (given: string) => timingSafeEqual(digest(given), wanted);
  return ({ authorization = "", "connection-name": name }) =>
    isRight(/^Basic ([\w+/=-]*)$/i.test(authorization) ? Buffer.from(authorization.slice(6), "base64").toString() : "") ||
    (typeof name === "string" && isRight(name));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
