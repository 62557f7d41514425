import type { Context } from "hono";
import type { Session } from "../../commands/members/sessions.js";
import type { Origin } from "../../commands/organisations/organisation.js";
import type { Action } from "../../domain/members.js";
import type { StillAllowed } from "../server/readBody.js";
import type { AppEnv } from "../server/requestFrame.js";
import type { Assets } from "./assets.js";
import type { Fields } from "./fields.js";
import type { Links } from "./links.js";

export interface Notice {
  readonly kind: "done" | "error";
  readonly lines: readonly string[];
  /** Shown on the next page and never again: a new key, an invitation's link. */
  readonly once?: string;
}

/** Who may see a page or send a form: any visitor, every signed-in member, or members whose role allows it. */
export type Access = "anyone" | Action;

/** One request of the portal, as its pages see it. */
export interface Visit {
  /** The path asked for, without the path of PUBLIC_URL. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** The request itself, for what signs in and out. */
  readonly context: Context<AppEnv>;
  readonly person: Session | undefined;
  readonly may: (access: Access) => boolean;
  /** Asks again, in a form or a script's request, whether this person may do this: after the body, and before each step of long work. */
  readonly stillAllowed: StillAllowed;
  readonly formToken: string;
  readonly links: Links;
  readonly assets: Assets;
  readonly notice: Notice | undefined;
  /** What a form that is shown again was sent with; never a password. */
  readonly submitted: Fields;
}

/** A visit to a page that only signed-in people see. */
export type SignedInVisit = Visit & { readonly person: Session };

/** Who asks, for the record. */
export const originOf = ({ person, requestId }: SignedInVisit): Origin => ({ by: person.by, correlationId: requestId });
