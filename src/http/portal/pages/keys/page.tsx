import { createKey, revokeKey, rotateKey } from "../../../../commands/organisations/keys.js";
import { parseKeepHours } from "../../../../domain/keyRotation.js";
import { keyScopes } from "../../../../domain/keyScopes.js";
import { listKeys } from "../../../../queries/organisations/keys.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { done, type FormOf, originOf, type PageOf, type SignedInVisit } from "../../page.js";
import { Field, Form } from "../../shell/form.js";
import { timeInWords } from "../../shell/formats.js";
import { EmptyState, Panel } from "../../shell/panel.js";
import { Table } from "../../shell/table.js";
import { OnlyOnce } from "../../shell/values.js";
import { dayEnd } from "../days.js";
import { isUsable, keysPath as path, scopesInWords } from "./parts.js";
import { KeyQuestion } from "./questions.js";
import { keyColumns } from "./table.js";

export const keysPage: PageOf<SignedInVisit> = {
  path,
  access: "keys",
  show: async (visit, { pool }) => {
    const { organisationId } = visit.person;
    const [keys, nameOf] = await Promise.all([listKeys(pool, organisationId), principalNames(pool, organisationId)]);
    return {
      title: "API Keys",
      body: (
        <>
          {visit.notice?.once ? <OnlyOnce title="The new key, shown only this once" text={visit.notice.once} copyLabel="Copy key" /> : null}
          <KeyQuestion visit={visit} keys={keys.filter(isUsable)} />
          <NewKey visit={visit} />
          <Panel id="keys" title="Keys">
            <Table
              caption="API keys, oldest first"
              columns={keyColumns(visit, nameOf)}
              rows={keys}
              empty={<EmptyState title="No keys yet">Create one, and send it as x-api-key with each request.</EmptyState>}
              muted={(key) => !isUsable(key)}
            />
          </Panel>
        </>
      ),
    };
  },
};

function NewKey({ visit }: { visit: SignedInVisit }) {
  const { submitted } = visit;
  const wasSent = submitted.get("sent") !== "";
  const isChosen = (scope: string) => !wasSent || submitted.all("scopes").includes(scope);
  return (
    <Panel id="new-key" title="New key">
      <Form visit={visit} to={path} class="stacked narrow-form">
        <input type="hidden" name="sent" value="yes" />
        <Field
          label="Name"
          name="name"
          maxlength={200}
          value={submitted.get("name")}
          autocomplete="off"
          hint="Name it after the system that uses it."
        />
        <fieldset class="events">
          <legend>What it can do in {visit.person.organisationName}</legend>
          {keyScopes.map((scope) => (
            <label>
              <input type="checkbox" name="scopes" value={scope} checked={isChosen(scope)} />
              <span>{scopesInWords[scope]}</span>
            </label>
          ))}
        </fieldset>
        <Field
          label="Last day (optional)"
          name="lastDay"
          type="date"
          value={submitted.get("lastDay")}
          required={false}
          hint="The key stops working at the end of this day. Leave empty for no end date."
        />
        <button type="submit">Create key</button>
      </Form>
    </Panel>
  );
}

const form = (rest: string, submit: FormOf<SignedInVisit>["submit"]): FormOf<SignedInVisit> => ({
  path: path + rest,
  access: "keys",
  page: keysPage,
  submit,
});

const createForm = form("", async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const expiresAt = dayEnd("Last day", fields.get("lastDay"), timezone);
  const wanted = { organisationId, name: fields.get("name"), scopes: fields.all("scopes"), expiresAt };
  const { key } = await createKey(organisations, wanted, originOf(visit));
  return done(path, "Key created. Copy it now: you cannot see it again.", key);
});

const rotateForm = form("/{keyId}/rotate", async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const given = { organisationId, prefix: visit.params["keyId"] ?? "", replaces: fields.get("replaces") };
  const keepHours = parseKeepHours(fields.get("keep"));
  const { key, name, old } = await rotateKey(organisations, { ...given, keepHours }, originOf(visit));
  const next =
    keepHours === 0
      ? `The old key ${old.prefix} no longer works. Use the new key now.`
      : `The old key ${old.prefix} works until ${timeInWords(old.until, timezone)}. Use the new key before then. The list below shows when the old one was last used.`;
  return done(path, `${name} rotated. ${next}`, key);
});

const revokeForm = form("/{keyId}/revoke", async (visit, _, { organisations }) => {
  const { organisationId } = visit.person;
  const revoked = await revokeKey(organisations, { organisationId, prefix: visit.params["keyId"] ?? "" }, originOf(visit));
  return done(path, `${revoked.name} (${revoked.prefix}) revoked.`);
});

export const keyForms = [createForm, rotateForm, revokeForm];
