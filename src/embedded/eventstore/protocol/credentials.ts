import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http2";

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
