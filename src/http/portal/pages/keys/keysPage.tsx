import { createKey, revokeKey, rotateKey } from "../../../../commands/organisations/keys.js";
import { parseKeepHours } from "../../../../domain/keyRotation.js";
import { keyScopes } from "../../../../domain/keyScopes.js";
import { type KeySummary, listKeys } from "../../../../queries/organisations/keys.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import type { Fields } from "../../fields.js";
import { type FormDefinition, originOf, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { Button, ButtonLink, Choice, Fault, Field, Form } from "../../shell/form.js";
import { dayInWords, timeInWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState, Panel } from "../../shell/panel.js";
import { OnlyOnce } from "../../shell/values.js";
import { dayAfter, dayEnd, today } from "../days.js";
import { keyColumns } from "./keyColumns.js";
import { KeyQuestion } from "./keyQuestions.js";
import { isUsable, keysPath as path, scopeNames, scopesInWords } from "./keyWords.js";

const isCreating = ({ query, submitted }: SignedInVisit) => query["create"] !== undefined || submitted.get("sent") !== "";

const keysList = listPage<KeySummary>({
  path,
  access: "keys",
  title: "API keys",
  of: ["key", "keys"],
  caption: "API keys, oldest first",
  action: (visit) => (isCreating(visit) ? null : <ButtonLink to={visit.links.to(path, { create: "key" })} label="Create key" />),
  query: async (visit, _, { pool }) => ({ items: await listKeys(visit.person.organisationId, pool), nextCursor: null }),
  columns: async (visit, { pool }) => keyColumns(visit, await principalNames(visit.person.organisationId, pool)),
  muted: (key) => !isUsable(key),
  above: (visit, _, keys) => (
    <>
      {visit.notice?.once ? <OnlyOnce title="The new key, shown only this once" text={visit.notice.once} copyLabel="Copy key" /> : null}
      <KeyQuestion visit={visit} keys={keys.filter(isUsable)} />
      {isCreating(visit) ? <NewKey visit={visit} /> : null}
    </>
  ),
  empty: () => <EmptyState title="No keys yet">Create one, and send it as x-api-key with each request.</EmptyState>,
});
export const keysPage = keysList.page;
export const keyDownloads = keysList.downloads;

const days = ["30", "90"];

function NewKey({ visit }: { visit: SignedInVisit }) {
  const { submitted, person } = visit;
  const ends = days.map((value) => ({
    value,
    label: `${value} days, until the end of ${dayInWords(dayAfter(today(person.timezone, new Date()), Number(value)))}`,
  }));
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
          <legend>What it can do in {person.organisationName}</legend>
          <Fault name="scopes" />
          {keyScopes.map((scope, index) => (
            <label class="check">
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                checked={submitted.all("scopes").includes(scope)}
                autofocus={index === 0 && visit.fault?.field === "scopes"}
              />
              <span>
                {scopeNames[scope]} <span class="muted">{scopesInWords[scope]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Choice
          label="Until"
          name="days"
          value={submitted.get("days")}
          options={[{ value: "", label: "No end, or the day below" }, ...ends]}
        />
        <Field label="Last day (optional)" name="lastDay" type="date" value={submitted.get("lastDay")} required={false} />
        <div class="button-row">
          <Button label="Create key" />
          <ButtonLink to={visit.links.to(path)} label="Cancel" quiet />
        </div>
      </Form>
    </Panel>
  );
}

const form = (rest: string, submit: FormDefinition<SignedInVisit>["submit"]): FormDefinition<SignedInVisit> => ({
  path: path + rest,
  access: "keys",
  page: keysPage,
  submit,
});

const createForm: FormDefinition<SignedInVisit> = {
  ...form("", createKeyOf),
  faults: { scopes: /scope/, lastDay: /^Last day|end in the past/, name: /name/ },
};

async function createKeyOf(visit: SignedInVisit, fields: Fields, { organisations }: PortalDeps) {
  const { organisationId, timezone } = visit.person;
  const lastDay = days.includes(fields.get("days"))
    ? dayAfter(today(timezone, new Date()), Number(fields.get("days")))
    : fields.get("lastDay");
  const expiresAt = dayEnd("Last day", lastDay, timezone);
  const wanted = { organisationId, name: fields.get("name"), scopes: fields.all("scopes"), expiresAt };
  const { key } = await createKey(organisations, wanted, originOf(visit));
  return withNotice(path, "Key created. Copy it now: you cannot see it again.", key);
}

const rotateForm = form("/{keyId}/rotate", async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const given = { organisationId, prefix: visit.params["keyId"] ?? "", replaces: fields.get("replaces") };
  const keepHours = parseKeepHours(fields.get("keep"));
  const { key, name, old } = await rotateKey(organisations, { ...given, keepHours }, originOf(visit));
  const next =
    keepHours === 0
      ? `The old key ${old.prefix} no longer works. Use the new key now.`
      : `The old key ${old.prefix} works until ${timeInWords(old.until, timezone)}. Use the new key before then. The list below shows when the old one was last used.`;
  return withNotice(path, `${name} rotated. ${next}`, key);
});

const revokeForm = form("/{keyId}/revoke", async (visit, _, { organisations }) => {
  const { organisationId } = visit.person;
  const revoked = await revokeKey(organisations, { organisationId, prefix: visit.params["keyId"] ?? "" }, originOf(visit));
  return withNotice(path, `${revoked.name} (${revoked.prefix}) revoked.`);
});

export const keyForms = [createForm, rotateForm, revokeForm];
