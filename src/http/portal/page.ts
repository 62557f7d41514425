// src/http/portal is what people use. A page has its query, its markup and its forms; rules and SQL are elsewhere.
import type { Child } from "hono/jsx";
import type { MemberDeps } from "../../commands/members/deps.js";
import type { createSignIn } from "../../commands/members/signIn.js";
import type { OrganisationDeps } from "../../commands/organisations/organisation.js";
import type { SingleSignOn } from "../../ports.js";
import type { Sources } from "../../queries/importStatus.js";
import type { Fields } from "./fields.js";
import type { PortalCookie } from "./sessions/cookies.js";
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
}

export interface PageOf<V extends Visit> {
  /** `/portal/...`, with `{name}` for what varies. */
  readonly path: string;
  readonly access: Access;
  /** Only leads elsewhere, and shows nothing unless that fails. */
  readonly leadsOn?: true;
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
  /** Undefined where none is configured. */
  readonly singleSignOn?: SingleSignOn | undefined;
}

/** And what the portal makes of it, for its pages. */
export interface PortalDeps extends PortalOptions {
  readonly signIn: ReturnType<typeof createSignIn>;
  readonly sessionCookie: PortalCookie;
}
