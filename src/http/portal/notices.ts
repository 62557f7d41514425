import { parse, serialize } from "hono/utils/cookie";
import { z } from "zod";
import type { Links } from "./links.js";
import { createSealed } from "./sealed.js";
import type { Notice } from "./visit.js";

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
  const { seal, open } = createSealed(signingSecret, "notice");
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
