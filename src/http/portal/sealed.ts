import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Text that only this service can read or make, for one purpose and one owner: it travels through the browser and back. */
export interface Sealed {
  readonly seal: (text: string, owner: string) => string;
  /** Undefined for anything that was not sealed here for this owner. */
  readonly open: (sealed: string, owner: string) => string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

export function createSealed(signingSecret: string, purpose: string): Sealed {
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
