import { parse, serialize } from "hono/utils/cookie";
import { z } from "zod";
import type { Links } from "./links.js";
import type { Notice } from "./pageDefinition.js";
import { openSealed, sealValue } from "./sessions/sealedValues.js";

const cookie = "waybill_notice";
const seconds = 60;
const shape = z.object({
  kind: z.enum(["done", "error"]),
  lines: z.array(z.string()),
  once: z.object({ title: z.string(), text: z.string(), copyLabel: z.string() }).optional(),
});

/**
 * What a form has to say on the page it leads to: in a sealed cookie, since that page may come from another process, and a new key must
 * stand in no table. It belongs to one session, lasts a minute and is read once.
 */
export function createNotices(signingSecret: string, links: Links) {
  const options = { path: links.to("/portal"), httpOnly: true, sameSite: "Lax", secure: links.secure } as const;
  const purposeOf = (owner: string) => `notice of ${owner}`;
  return {
    leave: (notice: Notice, owner: string): string => {
      const sealed = sealValue(signingSecret, purposeOf(owner), notice, new Date(Date.now() + seconds * 1000));
      return serialize(cookie, sealed, { ...options, maxAge: seconds });
    },
    read: (cookies: string | undefined, owner: string): Notice | undefined => {
      const sealed = cookies === undefined ? undefined : parse(cookies, cookie)[cookie];
      return shape.safeParse(openSealed(signingSecret, purposeOf(owner), sealed, new Date())).data as Notice | undefined;
    },
    /** Set-Cookie that ends it. */
    gone: serialize(cookie, "", { ...options, maxAge: 0 }),
  };
}
