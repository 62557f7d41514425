import { findLink, joinByLink } from "../../../commands/members/joinOrganisation.js";
import { passwordLength } from "../../../domain/members.js";
import { Rejection } from "../../../domain/rejection.js";
import { defineForm, definePage, type Visit } from "../pageDefinition.js";
import { Button, Field, Form } from "../shell/form.js";
import { openSession } from "./signIn.js";

const path = "/portal/join/{token}";

export const joinPage = definePage<Visit>(path, "anyone", async (visit, { members }) => {
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
          <ChosenPassword label="Password" />
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
  return openSession(member, "/portal", "link", visit, deps);
});

/** Where a person chooses a password. */
export const ChosenPassword = ({ label }: { label: string }) => (
  <Field
    label={label}
    name="password"
    type="password"
    minlength={passwordLength.least}
    maxlength={passwordLength.most}
    hint={`At least ${passwordLength.least} characters. Try a few words that only you would put together.`}
    autocomplete="new-password"
  />
);
