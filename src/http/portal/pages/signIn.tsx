import { findLink, joinByLink, startSession } from "../../../commands/members/joinOrganisation.js";
import { endSession, type VerifiedMemberRef } from "../../../commands/members/sessions.js";
import { recordRefusals, recordSignIn } from "../../../commands/members/signInRecords.js";
import { passwordLength } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import type { VerifiedMember } from "../../../queries/lookUps/members.js";
import { FormRefusal } from "../fields.js";
import { defineForm, definePage, type FormResult, type PortalDeps, type Visit, withNotice } from "../pageDefinition.js";
import { browserName } from "../sessions/browserName.js";
import { knownBrowserCookie, offerChoice, rememberBrowser, takeChoice } from "../sessions/cookies.js";
import { addressOf, type SignInWay } from "../sessions/signInLog.js";
import { Button, Field, Form } from "../shell/form.js";
import { countInWords } from "../shell/formats.js";
import { ButtonLink, withQuery } from "../shell/markup.js";
import { ownerOf } from "../visits.js";
import { overviewPage } from "./overview.js";

const path = "/portal/sign-in";

/** The paths at which single sign-on sends the browser to the identity provider, and at which the browser comes back. */
export const singleSignOnPaths = { begin: "/portal/sso", finish: "/portal/sso/callback" } as const;

const maxReturnLength = 2_000;

/** The path to go to after signing in: the requested page of the portal, or else Overview. It never leads to another site. */
export function safeReturn(text: string | undefined): string {
  if (text === undefined || text.length > maxReturnLength || !/^\/portal(?:[/?]|$)/.test(text) || /[\\\p{Cc}\s]/u.test(text))
    return "/portal";
  const base = "http://portal.invalid";
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url?.origin !== base || !/^\/portal(?:\/|$)/.test(url.pathname) || url.pathname.includes("//")) return "/portal";
  // These pages sign in or out, so they are not pages to return to.
  return /^\/portal\/(?:sign-in|sign-out|join|sso)(?:\/|$)/.test(url.pathname) ? "/portal" : `${url.pathname}${url.search}`;
}

export const signInPage = definePage<Visit>(path, "anyone", async (visit, { singleSignOn }) => {
  const next = safeReturn(visit.submitted.get("next") || visit.query["next"]);
  if (visit.person && !visit.notice) return { goTo: next };
  return {
    title: "Sign in",
    body: (
      <>
        <p class="hint">
          Waybill prices freight, and records the shipments and warehouse activities of your customers. This is the portal for the people
          who work with it.
        </p>
        <Form to={path} hidden={{ next }}>
          <Field label="Email" name="email" type="email" maxlength={254} autocomplete="username" />
          <Field label="Password" name="password" type="password" maxlength={1000} autocomplete="current-password" />
          <Button label="Sign in" />
        </Form>
        {singleSignOn === undefined ? null : (
          <p class="or">
            <ButtonLink to={withQuery(singleSignOnPaths.begin, { returnTo: next })} label="Sign in with single sign-on" quiet />
          </p>
        )}
        <p class="hint or">Forgot your password? An admin of your organisation can make you a new sign-in link.</p>
      </>
    ),
  };
});

export const signInForm = defineForm(signInPage, "", async (visit, fields, deps) => {
  const next = safeReturn(fields.get("next"));
  const { context } = visit;
  const [email, password] = [fields.get("email"), fields.get("password")];
  const [address, browser] = [addressOf(context, deps.trustedProxies), knownBrowserCookie(deps).read(context)];
  const answer = await deps.checkPassword({ email, password, address, knownBrowser: browser });
  switch (answer.kind) {
    case "verified":
      return signInAs(answer.members, next, "password", visit, deps);
    case "refused":
      deps.signInLog.refused(context, "password", "the e-mail or the password is wrong", email);
      recordRefusals(deps.members, answer.members, visit.requestId, logUnrecorded(visit, deps));
      throw new FormRefusal("Email or password is wrong.", 401);
    case "wait":
      deps.signInLog.slowed(context, "password", answer.seconds, email);
      throw tooManyTries(answer.seconds);
  }
});

export function tooManyTries(seconds: number): FormRefusal {
  const wait = seconds < 120 ? countInWords(seconds, "second") : `${Math.ceil(seconds / 60)} minutes`;
  return new FormRefusal(`Too many attempts. Try again in ${wait}.`, 429, seconds);
}

/** Signs in the only one of these members. If there are several, returns the page on which the person chooses the organisation first. */
export async function signInAs(members: readonly VerifiedMember[], next: string, way: SignInWay, visit: Visit, deps: PortalDeps) {
  const [first, ...others] = members;
  if (first && others.length === 0) return openBrowserSession(first, next, way, visit, deps);
  return {
    title: "Which organisation?",
    body: (
      <Form to={`${path}/organisation`} hidden={{ next, choice: offerChoice(deps, visit.context, way, members) }}>
        {members.map(({ organisationId, organisationName }) => (
          <Button name="organisation" value={organisationId} class="quiet" label={organisationName} />
        ))}
      </Form>
    ),
  };
}

export const organisationForm = defineForm(signInPage, "/organisation", async (visit, fields, deps) => {
  const next = safeReturn(fields.get("next"));
  const choice = await takeChoice(deps, visit.context, fields.get("choice"), fields.get("organisation"));
  if (choice) return openBrowserSession(choice.member, next, choice.way, visit, deps);
  deps.signInLog.refused(visit.context, "password", "the choice of an organisation is void");
  throw new FormRefusal("This page has expired. Sign in again.", 401);
});

/** Opens a new session, in place of the browser's own if it has one, and goes to the page `next`. */
export async function openBrowserSession(member: VerifiedMemberRef, next: string, way: SignInWay, visit: Visit, deps: PortalDeps) {
  const { context, requestId: correlationId } = visit;
  const { members, sessionCookie, signInLog } = deps;
  const browser = browserName(context.req.header("user-agent"));
  const token = await startSession(members, member, { oldToken: sessionCookie.read(context), browser, correlationId });
  if (token === undefined) {
    signInLog.refused(context, way, "the membership has changed meanwhile");
    throw new Rejection("conflict", "Your membership has just changed. Sign in again");
  }
  sessionCookie.write(context, token);
  rememberBrowser(deps, context, member.memberId);
  signInLog.signedIn(context, way, member);
  await recordSignIn(members, member, { how: eventMethods[way], correlationId }, logUnrecorded(visit, deps));
  return { goTo: next };
}

const eventMethods = { password: "password", link: "link", "single sign-on": "singleSignOn" } as const;

const logUnrecorded =
  ({ requestId }: Visit, { logger }: PortalDeps) =>
  (error: unknown) =>
    logger.warn({ err: error, requestId }, "a sign-in could not be recorded in the organisation's log");

/** The result of a form that has ended the person's own session: goes to the sign-in, which shows this notice. */
export function signedOutResult({ context }: Visit, { sessionCookie }: PortalDeps, line: string): FormResult {
  sessionCookie.clear(context);
  return { ...withNotice(path, line), owner: ownerOf(undefined) };
}

export const signOutForm = defineForm(overviewPage, "/sign-out", async (visit, _, { pool, sessionCookie }) => {
  const token = sessionCookie.read(visit.context);
  if (token !== undefined) await endSession(pool, token);
  sessionCookie.clear(visit.context);
  return { goTo: "/portal/sign-in" };
});

export const joinPage = definePage<Visit>("/portal/join/{token}", "anyone", async (visit, { members }) => {
  const token = visit.params["token"] ?? "";
  const link = await findLink(members, token);
  if (!link) throw new Rejection("notFound", "This link has expired or was already used. Ask an admin of your organisation for a new one");
  return {
    title: "Choose a password",
    body: (
      <>
        <p>
          {link.hasJoined ? "A new password for" : "Welcome to"} <strong>{link.organisationName}</strong>
          {link.name ? `, ${link.name}` : ""}.
        </p>
        <Form to={`/portal/join/${token}`}>
          <Field
            label="Email"
            name="username"
            type="email"
            value={link.email}
            hint="You sign in with this email."
            autocomplete="username"
            readonly
          />
          <NewPasswordField label="Password" />
          <Button label="Choose password and sign in" />
        </Form>
      </>
    ),
  };
});

export const joinForm = defineForm(joinPage, "", async (visit, fields, deps) => {
  const password = fields.get("password");
  const token = visit.params["token"] ?? "";
  const member = await joinByLink(deps.members, { token, password }, visit.requestId).catch((error: unknown) => {
    if (error instanceof Rejection && error.code === "notFound") deps.signInLog.refused(visit.context, "link", "the link is void");
    throw error;
  });
  return openBrowserSession(member, "/portal", "link", visit, deps);
});

export const NewPasswordField = ({ label }: { label: string }) => (
  <Field
    label={label}
    name="password"
    type="password"
    minlength={passwordLength.min}
    maxlength={passwordLength.max}
    hint={`At least ${passwordLength.min} characters. Try a few words that only you would put together.`}
    autocomplete="new-password"
  />
);
