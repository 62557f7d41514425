// src/http/portal is what people use. A page has its query, its markup and its forms; rules and SQL are elsewhere.
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
import type { AppEnv, HttpMetrics } from "../server/aroundRequest.js";
import type { SharedDeps } from "../server/deps.js";
import type { RecheckAccess, WithBody } from "../server/readBody.js";
import type { readAssets } from "./assets.js";
import type { Fields } from "./fields.js";
import type { createOpenPages } from "./live/openPages.js";
import type { PortalCookie } from "./sessions/cookies.js";
import type { createSignInLog } from "./sessions/signInLog.js";

/** What stands above every page: the way here, the title, and at its right a menu and the one main action; below them the views. */
export interface PageHead {
  /** Also the page's heading. */
  readonly title: string;
  /** The pages above this one, each with its path. */
  readonly crumbs?: readonly (readonly [label: string, path: string])[];
  /** The main thing that one does here: one button. */
  readonly action?: Child;
  /** Other ways to look at the same thing. */
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
  /** What the page asks before something is done; null while it asks nothing. */
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

/** After a form: where to go, and what to say there. */
export interface FormResult {
  readonly goTo: string;
  readonly notice?: Notice;
  /** Whose the notice is (`ownerOf`), where the form has ended the session or opened another one. */
  readonly owner?: string;
}

/** A line of the answer to a script, which reads it while it comes. */
export type Line = { readonly share: number; readonly text: string } | { readonly goTo: string } | { readonly error: string };

/** Work after a form that takes a while. The page's script reads how far it is, line by line; a browser without scripts waits for its end. */
export interface Work {
  readonly work: (say: (line: Line) => void, signal: AbortSignal) => Promise<FormResult>;
  /** What a browser without scripts is told where it takes too long. */
  readonly tooSlow: string;
}

/** Leads to a page that says in a line what was done. */
export const withNotice = (goTo: string, line: string, once?: Secret): FormResult => ({
  goTo,
  notice: { kind: "done", lines: [line], once },
});

// What a definition does is written as a method: a list may then hold those of signed-in people beside those of anyone. The frame lets only
// signed-in people in where `access` says so.

export interface PageDefinition<V extends Visit = SignedInVisit> {
  /** `/portal/...`, with `{name}` for a parameter. */
  readonly path: string;
  readonly access: Access;
  show(visit: V, deps: PortalDeps): Promise<PageContent | FormResult>;
}

export interface FormDefinition<V extends Visit = SignedInVisit> {
  readonly path: string;
  readonly access: Access;
  /** The page that shows a refused form again, with what is wrong. */
  readonly page: PageDefinition<V>;
  /** A form with a file: `submit` reads it itself, and checks its token before it takes the file. It gets no fields. */
  readonly body?: "upload";
  /** Which sentences are about which field: they stand beside it, and it gets the focus. */
  readonly faults?: Readonly<Record<string, { test(sentence: string): boolean }>>;
  /** Of the body, for a form that is larger than others. */
  readonly mostBytes?: number;
  submit(visit: V, fields: Fields, deps: PortalDeps): Promise<FormResult | PageContent | Work>;
}

export const definePage = <V extends Visit = SignedInVisit>(path: string, access: Access, show: PageDefinition<V>["show"]) => ({
  path,
  access,
  show,
});

/** `below`: what its path has behind the page's own. */
type FormPlace<V extends Visit> = { below: string } & Partial<Pick<FormDefinition<V>, "access" | "faults" | "mostBytes" | "body">>;

/** A form of a page, for those who may look at the page unless it says otherwise. */
export function defineForm<V extends Visit = SignedInVisit>(
  page: PageDefinition<V>,
  place: string | FormPlace<V>,
  submit: FormDefinition<V>["submit"],
): FormDefinition<V> {
  const { below, ...options } = typeof place === "string" ? { below: place } : place;
  return { path: page.path + below, access: page.access, page, submit, ...options };
}

/**
 * What a page's script, link or event source asks for: JSON, a download, a stream of events. A refusal is JSON as the API's, or a page where
 * the browser itself went there.
 */
export interface AnswerDefinition<V extends Visit = SignedInVisit> {
  readonly path: string;
  readonly access: Access;
  /** Set for a POST: how many bytes its body may have, which is JSON. */
  readonly mostBytes?: number;
  answer(visit: V, deps: PortalDeps, body: unknown): Promise<Response>;
}

export const defineAnswer = (path: string, access: Access, answer: AnswerDefinition["answer"]) => ({ path, access, answer });

/** The pages of one subject with their forms, and what they ask for. */
export interface Subject {
  readonly pages?: readonly PageDefinition[];
  readonly forms?: readonly FormDefinition[];
  readonly answers?: readonly AnswerDefinition[];
}

/** Addresses as the browser sees them: behind a reverse proxy PUBLIC_URL may have a path that never reaches this process. */
interface Links {
  /** `/portal/...`, which may have a query, with the path of PUBLIC_URL before it. */
  readonly to: (path: string) => string;
}

/** Everything the portal needs; src/main/roles/api.ts builds it. */
export interface PortalOptions extends SharedDeps {
  readonly fileChecks: FileChecks;
  readonly limits: { readonly maxQueuedImports: number };
  /** The proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: BlockList;
  readonly metrics: Pick<HttpMetrics, "signInEnded">;
  readonly organisations: OrganisationDeps;
  readonly members: MemberDeps;
  readonly webhooks: WebhookDeps;
  /** Undefined where no identity provider is configured. */
  readonly singleSignOn?: SingleSignOn | undefined;
}

/** What the portal shares with the API's routes. */
export interface PortalFrame {
  readonly withBody: WithBody;
  readonly uploads: Slots;
  /** Aborts when the API begins to stop: answers that stay open end then. */
  readonly closing?: AbortSignal | undefined;
  /** Aborts when the API has stopped. */
  readonly stopping?: AbortSignal | undefined;
}

/** The options and what the portal makes from them. */
export interface PortalDeps extends PortalOptions, PortalFrame {
  readonly closing: AbortSignal;
  readonly maxQueuedImports: number;
  readonly links: Links;
  readonly assets: ReturnType<typeof readAssets>;
  readonly sessionOf: (c: Context<AppEnv>) => Promise<Session | undefined>;
  readonly checkPassword: ReturnType<typeof createPasswordCheck>;
  readonly signInLog: ReturnType<typeof createSignInLog>;
  readonly sessionCookie: PortalCookie;
  /** Pages that are open and change by themselves. */
  readonly openPages: ReturnType<typeof createOpenPages>;
  readonly downloads: Slots;
}

const secretShape = z.object({ title: z.string(), text: z.string(), copyLabel: z.string() });

/** Shown on the next page and never again: a new key, an invitation's link. */
export type Secret = z.infer<typeof secretShape>;

export const noticeShape = z.object({
  kind: z.enum(["done", "error"]),
  lines: z.array(z.string()).readonly(),
  once: secretShape.optional(),
});
export type Notice = z.infer<typeof noticeShape>;

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
  readonly recheckAccess: RecheckAccess;
  /** The session's token, masked for this page. */
  readonly formToken: string;
  readonly links: Links;
  readonly assets: ReturnType<typeof readAssets>;
  readonly notice: Notice | undefined;
  /** What a form that is shown again was sent with; never a password. */
  readonly submitted: Fields;
  /** What is wrong with one field of a form that is shown again. */
  readonly fault?: { readonly field: string; readonly line: string };
}

/** A visit to a page that only signed-in people see. */
export type SignedInVisit = Visit & { readonly person: Session };

/** Who asks, for the record. */
export const originOf = ({ person, requestId }: SignedInVisit): Origin => ({ by: person.by, correlationId: requestId });

/** Reads something once for a visit. */
export function oncePerVisit<Deps, Found>(read: (visit: SignedInVisit, deps: Deps) => Promise<Found>) {
  const known = new WeakMap<Visit["context"], Promise<Found>>();
  return (visit: SignedInVisit, deps: Deps): Promise<Found> => {
    const found = known.get(visit.context) ?? read(visit, deps);
    known.set(visit.context, found);
    return found;
  };
}
