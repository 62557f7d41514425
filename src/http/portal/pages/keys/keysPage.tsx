import { createKey, revokeKey, rotateKey } from "../../../../commands/organisations/keys.js";
import { defaultKeepHours, parseKeepHours } from "../../../../domain/keyRotation.js";
import { keyScopes } from "../../../../domain/keyScopes.js";
import { type KeySummary, listKeys } from "../../../../queries/organisations/keys.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { defineForm, originOf, type SignedInVisit, type Subject, withNotice } from "../../pageDefinition.js";
import { Choice, Field, Form, NoQuestion, Question, Ticks, tickedIn } from "../../shell/form.js";
import { dayInWords, timeInWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { ButtonLink, EmptyState, Panel, withQuery } from "../../shell/parts.js";
import { dayAfter, dayEnd, today } from "../days.js";
import { isUsable, keyColumns, keysPath as path, scopeNames, scopesInWords } from "./keyColumns.js";

const isCreating = ({ query, submitted }: SignedInVisit) => query["create"] !== undefined || submitted.all("name").length > 0;

const keysList = listPage<KeySummary>({
  path,
  access: "keys",
  title: "API keys",
  of: ["key", "keys"],
  caption: "API keys, oldest first",
  action: (visit) => (isCreating(visit) ? null : <ButtonLink to={withQuery(path, { create: "key" })} label="Create key" />),
  readRows: async (visit, _, { pool }) => ({ items: await listKeys(visit.person.organisationId, pool), nextCursor: null }),
  columns: async (visit, { pool }) => keyColumns(visit, await principalNames(visit.person.organisationId, pool)),
  muted: (key) => !isUsable(key),
  above: (visit, _, keys) => (
    <>
      <KeyQuestion visit={visit} keys={keys.filter(isUsable)} />
      {isCreating(visit) ? <NewKey visit={visit} /> : null}
    </>
  ),
  empty: () => <EmptyState title="No keys yet">Create one, and send it as x-api-key with each request.</EmptyState>,
});

function KeyQuestion({ visit, keys }: { visit: SignedInVisit; keys: readonly KeySummary[] }) {
  const named = (what: string) => keys.find(({ keyId }) => keyId === visit.query[what]);
  const [revoke, rotate] = [named("revoke"), named("rotate")];
  if (revoke)
    return (
      <Question title="Revoke this key?" to={`${path}/${revoke.keyId}/revoke`} back={path} label="Revoke">
        <p>
          <strong>{revoke.name}</strong> (<code>{revoke.prefix}</code>) stops working immediately
          {revoke.replaced ? ", and so does the old key" : ""}. This cannot be undone.
        </p>
      </Question>
    );
  if (!rotate) return <NoQuestion />;
  return (
    <Question
      title="Rotate this key?"
      to={`${path}/${rotate.keyId}/rotate`}
      back={path}
      label="Rotate"
      harmless
      fields={{ replaces: rotate.prefix }}
      choice={<Choice label="Keep the old key for" name="keep" options={keeps} value={String(defaultKeepHours)} />}
    >
      <p>
        <strong>{rotate.name}</strong> gets a new key with the same permissions. The old key (<code>{rotate.prefix}</code>) keeps working
        for the time you choose.
      </p>
      {rotate.replaced ? (
        <p>
          The key before it (<code>{rotate.replaced.prefix}</code>) stops working now.
        </p>
      ) : null}
    </Question>
  );
}

const keeps = [
  { value: "0", label: "No time: it stops working now" },
  { value: String(defaultKeepHours), label: "24 hours" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
];

const keyOnce = (text: string) => ({ title: "The new key, shown only this once", text, copyLabel: "Copy key" });
const days = ["30", "90"];

function NewKey({ visit }: { visit: SignedInVisit }) {
  const { person } = visit;
  const endIn = (value: string) => dayInWords(dayAfter(today(person.timezone, new Date()), Number(value)));
  const ends = days.map((value) => ({ value, label: `${value} days, until the end of ${endIn(value)}` }));
  ends.unshift({ value: "", label: "No end, or the day below" });
  return (
    <Panel id="new-key" title="New key">
      <Form to={path} class="stacked narrow-form" submit="Create key" cancel={path}>
        <Field label="Name" name="name" maxlength={200} autocomplete="off" hint="Name it after the system that uses it." />
        <Ticks
          legend={`What it can do in ${person.organisationName}`}
          name="scopes"
          options={keyScopes.map((scope) => ({ value: scope, label: scopeNames[scope], about: scopesInWords[scope] }))}
        />
        <Choice label="Until" name="days" options={ends} />
        <Field label="Last day (optional)" name="lastDay" type="date" required={false} />
      </Form>
    </Panel>
  );
}

const faults = { scopes: /scope/, lastDay: /^Last day|end in the past/, name: /name/ };

const createForm = defineForm(keysList.page, { below: "", faults }, async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const inDays = days.find((each) => each === fields.get("days"));
  const lastDay = inDays === undefined ? fields.get("lastDay") : dayAfter(today(timezone, new Date()), Number(inDays));
  const expiresAt = dayEnd("Last day", lastDay, timezone);
  const wanted = { organisationId, name: fields.get("name"), scopes: tickedIn(fields, "scopes"), expiresAt };
  const { key } = await createKey(organisations, wanted, originOf(visit));
  return withNotice(path, "Key created. Copy it now: you cannot see it again.", keyOnce(key));
});

const rotateForm = defineForm(keysList.page, "/{keyId}/rotate", async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const given = { organisationId, prefix: visit.params["keyId"] ?? "", replaces: fields.get("replaces") };
  const keepHours = parseKeepHours(fields.get("keep"));
  const { key, name, old } = await rotateKey(organisations, { ...given, keepHours }, originOf(visit));
  const next =
    keepHours === 0
      ? `The old key ${old.prefix} no longer works. Use the new key now.`
      : `The old key ${old.prefix} works until ${timeInWords(old.until, timezone)}. Use the new key before then. The list below shows when the old one was last used.`;
  return withNotice(path, `${name} rotated. ${next}`, keyOnce(key));
});

const revokeForm = defineForm(keysList.page, "/{keyId}/revoke", async (visit, _, { organisations }) => {
  const { organisationId } = visit.person;
  const revoked = await revokeKey(organisations, { organisationId, prefix: visit.params["keyId"] ?? "" }, originOf(visit));
  return withNotice(path, `${revoked.name} (${revoked.prefix}) revoked.`);
});

export const keys: Subject = { ...keysList, forms: [createForm, rotateForm, revokeForm] };
