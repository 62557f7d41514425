// src/http/portal is what people use. A page has its query, its markup and its forms; rules and SQL are elsewhere.
import type { Child } from "hono/jsx";
import type { MemberDeps } from "../../commands/members/deps.js";
import type { createSignIn } from "../../commands/members/signIn.js";
import type { OrganisationDeps } from "../../commands/organisations/organisation.js";
import type { Sources } from "../../queries/importStatus.js";
import type { Fields } from "./fields.js";
import type { Sealed } from "./sealed.js";
import type { SessionCookie } from "./sessionCookie.js";
import type { Access, Notice, Visit } from "./visit.js";

export interface Shown {
  /** Also the page's heading. */
  readonly title: string;
  readonly body: Child;
  /** 200 unless something was refused. */
  readonly status?: number;
  /** Said above the page, instead of what an earlier form left. */
  readonly notice?: Notice;
}

/** After a form: where to go, and what to say there. */
export interface Done {
  readonly goTo: string;
  readonly notice?: Notice;
  /** Set-Cookie headers, where somebody signs in or out. */
  readonly cookies?: readonly string[];
}

export interface PageOf<V extends Visit> {
  /** `/portal/...`, with `{name}` for what varies. */
  readonly path: string;
  readonly access: Access;
  readonly show: (visit: V, deps: PortalDeps) => Promise<Shown | Done>;
}

export interface FormOf<V extends Visit> {
  readonly path: string;
  readonly access: Access;
  /** The page that shows a refused form again, with what is wrong. */
  readonly page: PageOf<V>;
  readonly submit: (visit: V, fields: Fields, deps: PortalDeps) => Promise<Done | Shown>;
}

/** Everything the portal needs, built by whoever starts the API. */
export interface PortalOptions extends Sources {
  readonly publicUrl: string;
  readonly signingSecret: string;
  readonly organisations: OrganisationDeps;
  readonly members: MemberDeps;
}

/** And what the portal makes of it, for its pages. */
export interface PortalDeps extends PortalOptions {
  readonly signIn: ReturnType<typeof createSignIn>;
  readonly sessionCookie: SessionCookie;
  /** Who has shown a password and has yet to say which organisation. */
  readonly proofs: Sealed;
  /** Where single sign-on begins; undefined where none is configured. */
  readonly singleSignOnPath?: string;
}
