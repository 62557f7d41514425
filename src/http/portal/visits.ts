import type { Context } from "hono";
import type { Session } from "../../commands/members/sessions.js";
import { may } from "../../domain/members.js";
import { type ReadingRequest, readPatienceMs } from "../server/inTime.js";
import type { BodyBounds } from "../server/readBody.js";
import type { AppEnv } from "../server/requestFrame.js";
import type { Assets } from "./assets.js";
import { noFields } from "./fields.js";
import type { Links } from "./links.js";
import type { Notices } from "./notices.js";
import { refuseScript } from "./refuse.js";
import type { Access, Visit } from "./visit.js";

export interface VisitParts {
  readonly links: Links;
  readonly assets: Assets;
  readonly notices: Notices;
  readonly sessionOf: (c: Context<AppEnv>) => Promise<Session | undefined>;
}

/** The owner of notices and forms where no member is signed in. */
export const ownerOf = (session: Session | undefined): string => session?.formToken ?? "signed out";

/** The limits for reading a body. Its memory is counted towards the share of the visitor's organisation. */
export function bodyBounds({ context, person, stillAllowed }: Visit, limit: number): BodyBounds {
  const incoming = context.env?.incoming;
  return { limit, organisationId: person?.organisationId ?? "", stillAllowed, bytesRead: incoming && (() => incoming.socket.bytesRead) };
}

/** A request that reads, for its organisation's share of the database. */
export const readingOf = ({ context, person }: Visit, what: string): ReadingRequest => ({
  organisationId: person?.organisationId ?? "",
  left: context.req.raw.signal,
  ms: readPatienceMs,
  what,
});

/** `access`: that of the page or form which is asked for. */
export function visitOf(c: Context<AppEnv>, person: Session | undefined, access: Access, parts: VisitParts): Visit {
  const { links, assets, notices } = parts;
  return {
    path: c.req.path,
    params: c.req.param() as Record<string, string>,
    query: c.req.query(),
    requestId: c.get("requestId"),
    context: c,
    person,
    may: (asked: Access) => asked === "anyone" || (person !== undefined && may(person.role, asked)),
    stillAllowed: async () => {
      if (access !== "anyone") refuseScript(visitOf(c, await parts.sessionOf(c), access, parts), access);
    },
    formToken: person?.formToken ?? "",
    links,
    assets,
    notice: notices.read(c.req.header("cookie"), ownerOf(person)),
    submitted: noFields,
  };
}
