import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { parse, serialize } from "hono/utils/cookie";
import { z } from "zod";
import type { Links } from "./links.js";
import type { Notice } from "./pageDefinition.js";

const cookie = "waybill_notice";
const shape = z.object({ kind: z.enum(["done", "error"]), lines: z.array(z.string()), once: z.string().optional() });

/**
 * What a form has to say on the page it leads to: in a sealed cookie, since that page may come from another process, and a new key must
 * stand in no table. It belongs to one session, lasts a minute and is read once.
 */
export interface Notices {
  readonly leave: (notice: Notice, owner: string) => string;
  readonly read: (cookies: string | undefined, owner: string) => Notice | undefined;
  /** Set-Cookie that ends it. */
  readonly gone: string;
}

export function createNotices(signingSecret: string, links: Links): Notices {
  const { seal, open } = createSealedText(signingSecret, "notice");
  const options = { path: links.to("/portal"), httpOnly: true, sameSite: "Lax", secure: links.secure } as const;
  return {
    leave: (notice, owner) => serialize(cookie, seal(JSON.stringify(notice), owner), { ...options, maxAge: 60 }),
    read: (cookies, owner) => {
      const sealed = cookies === undefined ? undefined : parse(cookies, cookie)[cookie];
      const text = sealed === undefined ? undefined : open(sealed, owner);
      return text === undefined ? undefined : (shape.parse(JSON.parse(text)) as Notice);
    },
    gone: serialize(cookie, "", { ...options, maxAge: 0 }),
  };
}

/** Text that only this service can read or make, for one purpose and one owner: it travels through the browser and back. */
export interface SealedText {
  readonly seal: (text: string, owner: string) => string;
  /** Undefined for anything that was not sealed here for this owner. */
  readonly open: (sealed: string, owner: string) => string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

export function createSealedText(signingSecret: string, purpose: string): SealedText {
  const key = Buffer.from(hkdfSync("sha256", signingSecret, "", `waybill portal ${purpose}`, 32));
  return {
    seal: (text, owner) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
    },
    open: (sealed, owner) => {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < ivBytes + tagBytes) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
