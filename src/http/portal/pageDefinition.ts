// src/http/portal is the web interface for people. A page file has its query, its markup and its forms; rules and SQL are elsewhere.
// This file has the types of pages, forms and answers, and of what they get: the visit and the portal's objects (`PortalDeps`).
import type { BlockList } from "node:net";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { z } from "zod";
import type { MemberDeps } from "../../commands/members/changeMember.js";
import type { Session } from "../../commands/members/sessions.js";
import type { createPasswordCheck } from "../../commands/members/signIn.js";
import type { OrganisationDeps, Origin } from "../../commands/organisations/organisationStream.js";
import type { WebhookDeps } from "../../commands/organisations/webhooks.js";
import type { Action } from "../../domain/members.js";
import type { FileChecks } from "../../judging/fileChecks.js";
import type { SingleSignOn } from "../../ports/people.js";
import type { Slots } from "../../slots.js";
import type { SharedDeps } from "../server/deps.js";
import type { RecheckAccess, WithBody } from "../server/readBody.js";
import type { AppEnv, HttpMetrics } from "../server/requestMiddleware.js";
import type { readAssets } from "./assets.js";
import type { Fields } from "./fields.js";
import type { createOpenPages } from "./live/openPages.js";
import type { PortalCookie } from "./sessions/cookies.js";
import type { createSignInLog } from "./sessions/signInLog.js";

/** The top of every page: the breadcrumbs, the title with a menu and the main action at its right, and below them the views. */
export interface PageHead {
  /** Also the page's heading. */
  readonly title: string;
  /** The pages above this one, each with its path. */
  readonly crumbs?: readonly (readonly [label: string, path: string])[];
  /** The button for the page's main action. */
  readonly action?: Child;
  /** Links to the different views of the same subject. */
  readonly views?: readonly { readonly label: string; readonly to: string; readonly current: boolean }[];
  /** Downloads and further actions. */
  readonly menu?: readonly MenuItem[];
}

export interface MenuItem {
  readonly label: string;
  readonly to: string;
  readonly download?: string;
  /** Attributes for a script. */
  readonly [attribute: `data-${string}`]: string;
}

export interface PageContent extends PageHead {
  readonly body: Child;
  /** The confirmation that the page asks for; null while it asks for none. Left out by pages that never ask. */
  readonly question?: Child;
  /** The answer's status; 200 by default. */
  readonly status?: number;
  /** Seconds for the header Retry-After. */
  readonly retryAfter?: number | undefined;
  /** Shown above the page instead of an earlier form's notice. */
  readonly notice?: Notice;
  /** The page's own scripts besides those of every page, by their names in `browser`, such as `upload.js`. */
  readonly scripts?: readonly string[];
}

/** What follows a form: the page to go to, and a notice to show there. */
export interface FormResult {
  readonly goTo: string;
  readonly notice?: Notice;
  /** The session that may read the notice (`ownerOf`). Only set if the form has ended or replaced the visitor's session. */
  readonly owner?: string;
}

/** A line of the answer that a script gets to long work: progress (`share`, from 0 to 1), the result or the error. */
export type WorkUpdate = { readonly share: number; readonly text: string } | { readonly goTo: string } | { readonly error: string };

/** Long work that a form starts (lines.ts). */
export interface Work {
  readonly work: (say: (update: WorkUpdate) => void, signal: AbortSignal) => Promise<FormResult>;
  /** The message for a browser without scripts if the work takes too long. */
  readonly tooSlow: string;
}

/** Creates the result that goes to a page, which says in one line what was done and may show a secret once. */
export const withNotice = (goTo: string, line: string, secret?: Secret): FormResult => ({
  goTo,
  notice: { kind: "done", lines: [line], once: secret },
});

// Definitions have methods, not function properties, so that TypeScript allows one list for pages of signed-in people and pages of anyone.
// portal.ts checks `access` before it calls them.

export interface PageDefinition<V extends Visit = SignedInVisit> {
  /** A path such as `/portal/imports/{importId}`; `{name}` is a parameter. */
  readonly path: string;
  readonly access: Access;
  show(visit: V, deps: PortalDeps): Promise<PageContent | FormResult>;
}

export interface FormDefinition<V extends Visit = SignedInVisit> {
  readonly path: string;
  readonly access: Access;
  /** The page that shows a refused form again, with the problem. */
  readonly page: PageDefinition<V>;
  /** Set for a form with a file. `submit` then gets no fields: it reads the body itself, and checks the token before the file. */
  readonly body?: "upload";
  /** By field: the pattern of the messages about it. Such a message is shown at the field, which gets the focus. */
  readonly faults?: Readonly<Record<string, { test(sentence: string): boolean }>>;
  /** The largest body in bytes, if a form needs more than `maxFormBytes`. */
  readonly maxBytes?: number;
  submit(visit: V, fields: Fields, deps: PortalDeps): Promise<FormResult | PageContent | Work>;
}

export const definePage = <V extends Visit = SignedInVisit>(path: string, access: Access, show: PageDefinition<V>["show"]) => ({
  path,
  access,
  show,
});

/** `subPath`: the part of the form's path after that of its page. */
type FormOptions<V extends Visit> = { subPath: string } & Partial<Pick<FormDefinition<V>, "access" | "faults" | "maxBytes" | "body">>;

/** Defines a form of a page. Whoever may see the page may send the form, unless `access` says otherwise. */
export function defineForm<V extends Visit = SignedInVisit>(
  page: PageDefinition<V>,
  subPathOrOptions: string | FormOptions<V>,
  submit: FormDefinition<V>["submit"],
): FormDefinition<V> {
  const { subPath, ...options } = typeof subPathOrOptions === "string" ? { subPath: subPathOrOptions } : subPathOrOptions;
  return { path: page.path + subPath, access: page.access, page, submit, ...options };
}

/**
 * An answer that is not a page, for a script, a link or an event source: JSON, a download or a stream of events. A refusal is JSON like the
 * API's, or a page if the person opened the address.
 */
export interface AnswerDefinition<V extends Visit = SignedInVisit> {
  readonly path: string;
  readonly access: Access;
  /** The largest body in bytes, for an answer to a POST with JSON. Without it the answer is to a GET. */
  readonly maxBytes?: number;
  answer(visit: V, deps: PortalDeps, body: unknown): Promise<Response>;
}

export const defineAnswer = (path: string, access: Access, answer: AnswerDefinition["answer"]) => ({ path, access, answer });

/** The pages of one subject, their forms, and the answers for their scripts and links. */
export interface Subject {
  readonly pages?: readonly PageDefinition[];
  readonly forms?: readonly FormDefinition[];
  readonly answers?: readonly AnswerDefinition[];
}

/** Makes addresses as the browser sees them: behind a reverse proxy PUBLIC_URL may have a path that never reaches this process. */
interface Links {
  /** Puts the path of PUBLIC_URL before a path such as `/portal/imports?status=failed`. */
  readonly to: (path: string) => string;
}

/** Everything the portal needs; src/main/roles/api.ts builds it. */
export interface PortalOptions extends SharedDeps {
  readonly fileChecks: FileChecks;
  readonly limits: { readonly maxQueuedImports: number };
  /** The proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: BlockList;
  readonly metrics: Pick<HttpMetrics, "recordSignIn">;
  readonly organisations: OrganisationDeps;
  readonly members: MemberDeps;
  readonly webhooks: WebhookDeps;
  /** Undefined where no identity provider is configured. */
  readonly singleSignOn?: SingleSignOn | undefined;
}

/** The objects that the portal shares with the API's routes. */
export interface HttpRuntime {
  readonly withBody: WithBody;
  readonly uploads: Slots;
  /** Aborts when the API begins to stop, so that answers that stay open end. */
  readonly closing?: AbortSignal | undefined;
  /** Aborts when the API has stopped, to end work that goes on in the background after an answer. */
  readonly stopped?: AbortSignal | undefined;
}

/** The options, and the objects that the portal creates from them. */
export interface PortalDeps extends PortalOptions, HttpRuntime {
  readonly closing: AbortSignal;
  readonly maxQueuedImports: number;
  readonly links: Links;
  readonly assets: ReturnType<typeof readAssets>;
  readonly sessionOf: (c: Context<AppEnv>) => Promise<Session | undefined>;
  readonly checkPassword: ReturnType<typeof createPasswordCheck>;
  readonly signInLog: ReturnType<typeof createSignInLog>;
  readonly sessionCookie: PortalCookie;
  /** The open pages that update themselves. */
  readonly openPages: ReturnType<typeof createOpenPages>;
  readonly downloads: Slots;
}

const secretShape = z.object({ title: z.string(), text: z.string(), copyLabel: z.string() });

/** A text that is shown on the next page and never again: a new key, an invitation's link. */
export type Secret = z.infer<typeof secretShape>;

export const noticeShape = z.object({
  kind: z.enum(["done", "error"]),
  lines: z.array(z.string()).readonly(),
  once: secretShape.optional(),
});
export type Notice = z.infer<typeof noticeShape>;

/** Who may see a page or send a form: any visitor, every signed-in member, or members whose role allows it. */
export type Access = "anyone" | Action;

/** One request to the portal, as its pages see it. */
export interface Visit {
  /** The requested path, without the path of PUBLIC_URL. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** The HTTP request, for cookies, headers and streamed answers. */
  readonly context: Context<AppEnv>;
  /** Undefined for a signed-out visitor. */
  readonly person: Session | undefined;
  readonly may: (access: Access) => boolean;
  /** Loads the session again and throws if the person has lost access. Called after reading a body, and before each step of long work. */
  readonly recheckAccess: RecheckAccess;
  /** The session's form token, masked for this page. Empty for a signed-out visitor. */
  readonly formToken: string;
  readonly links: Links;
  readonly assets: ReturnType<typeof readAssets>;
  readonly notice: Notice | undefined;
  /** The fields of a refused form that is shown again, without passwords and tokens. Otherwise empty. */
  readonly submitted: Fields;
  /** The problem with one field of a form that is shown again. */
  readonly fault?: { readonly field: string; readonly message: string };
}

/** A visit to a page that only signed-in people see. */
export type SignedInVisit = Visit & { readonly person: Session };

/** The person and the request, as events record them. */
export const originOf = ({ person, requestId }: SignedInVisit): Origin => ({ by: person.by, correlationId: requestId });

/** Wraps a read so that it runs at most once for each visit. */
export function oncePerVisit<Deps, Found>(read: (visit: SignedInVisit, deps: Deps) => Promise<Found>) {
  const results = new WeakMap<Visit["context"], Promise<Found>>();
  return (visit: SignedInVisit, deps: Deps): Promise<Found> => {
    const result = results.get(visit.context) ?? read(visit, deps);
    results.set(visit.context, result);
    return result;
  };
}
