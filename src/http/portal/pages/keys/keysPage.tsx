import type { Child } from "hono/jsx";
import { createKey, revokeKey, rotateKey } from "../../../../commands/organisations/keys.js";
import { defaultKeepHours, parseKeepHours } from "../../../../domain/keyRotation.js";
import { type KeyScope, keyScopes, scopesOf } from "../../../../domain/keyScopes.js";
import type { NameOf } from "../../../../domain/principal.js";
import { type KeySummary, listKeys } from "../../../../queries/organisations/keys.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { defineForm, originOf, type SignedInVisit, type Subject, withNotice } from "../../pageDefinition.js";
import { CheckBoxGroup, Choice, Field, Form, tickedValues } from "../../shell/form.js";
import { dayInWords, endInWords, timeInWords } from "../../shell/formats.js";
import { listPage } from "../../shell/listPage.js";
import { ButtonLink, EmptyState, Panel, Time, withQuery } from "../../shell/markup.js";
import { AskButton, Question } from "../../shell/question.js";
import { actionColumn, type Column, column } from "../../shell/table.js";
import { addDays, parseDayEnd, today } from "../days.js";

const keysPath = "/portal/settings/keys";
const isUsable = ({ revokedAt, ended }: KeySummary) => revokedAt === null && !ended;

const scopeWords: Readonly<Record<KeyScope, { readonly label: string; readonly about: string }>> = {
  quotes: { label: "Quotes", about: "Generate and fetch quotes" },
  shipments: { label: "Shipments", about: "Import, correct, cancel and reverse shipments" },
  activities: { label: "Activities", about: "Import, correct, cancel and reverse activities" },
  read: { label: "Read", about: "Read everything" },
};

/** A later release may have recorded scopes that this release does not know. */
const scopeInWords = (scope: string) => (Object.hasOwn(scopeWords, scope) ? scopeWords[scope as KeyScope].about : scope);

export const keyColumns = (visit: SignedInVisit, nameOf: NameOf): readonly Column<KeySummary>[] => {
  const endText = (at: Date | null) => (at ? `Until ${endInWords(at, visit.person.timezone)}` : "No end");
  return [
    column("name", "Name", ({ name }) => name, { isRowHeader: true, cell: ({ name }) => <span class="named">{name}</span> }),
    column("prefix", "Prefix", ({ prefix }) => prefix, {
      cell: (key) => perSecret(key, <code>{key.prefix}</code>, ({ prefix }) => <code>{prefix}</code>),
    }),
    column("permissions", "Permissions", ({ scopes }) => (scopes === null ? "Everything" : scopesOf(scopes).map(scopeInWords).join(", ")), {
      cell: ({ scopes }) =>
        scopes === null ? (
          "Everything"
        ) : (
          <div>
            {scopesOf(scopes).map((scope) => (
              <div>{scopeInWords(scope)}</div>
            ))}
          </div>
        ),
    }),
    column("created", "Created", ({ createdAt }) => createdAt, {
      cell: ({ createdAt, createdBy }) => (
        <div>
          <Time at={createdAt} />
          {createdBy ? <div class="muted">by {nameOf(createdBy)}</div> : null}
        </div>
      ),
    }),
    column("createdBy", "Created by", ({ createdBy }) => createdBy && nameOf(createdBy), { onlyInFiles: true }),
    column("lastUsed", "Last used", ({ lastUsedAt }) => lastUsedAt, {
      cell: (key) => {
        const lastUse = (at: Date | null) => <Time at={at} otherwise="Never" />;
        return perSecret(key, lastUse(key.lastUsedAt), ({ lastUsedAt }) => lastUse(lastUsedAt));
      },
    }),
    column("ends", "Ends", ({ expiresAt }) => expiresAt, {
      cell: (key) => perSecret(key, endText(key.expiresAt), ({ validUntil }) => endText(validUntil)),
    }),
    { ...actionColumn(Actions), key: "state", value: ({ revokedAt, ended }) => (revokedAt ? "Revoked" : ended ? "Ended" : "Valid") },
  ];
};

/** While two secrets of a key are valid, the cell has a line for each. */
const perSecret = (key: KeySummary, newest: Child, old: (replaced: NonNullable<KeySummary["replaced"]>) => Child): Child =>
  key.replaced && isUsable(key) ? (
    <div class="unbroken">
      <div>New: {newest}</div>
      <div>Old: {old(key.replaced)}</div>
    </div>
  ) : (
    newest
  );

function Actions({ keyId, name, revokedAt, ended, expiresAt }: KeySummary) {
  if (revokedAt || ended)
    return (
      <span>
        {revokedAt ? "Revoked" : "Ended"} <Time at={revokedAt ?? expiresAt} />
      </span>
    );
  const about = `the key ${name}`;
  return (
    <>
      <AskButton path={keysPath} question={{ rotate: keyId }} label="Rotate" about={about} isHarmless />
      <AskButton path={keysPath} question={{ revoke: keyId }} label="Revoke" about={about} />
    </>
  );
}

const isCreating = ({ query, submitted }: SignedInVisit) => query["create"] !== undefined || submitted.all("name").length > 0;

const keysList = listPage<KeySummary>({
  path: keysPath,
  access: "keys",
  title: "API keys",
  noun: ["key", "keys"],
  caption: "API keys, oldest first",
  action: (visit) => (isCreating(visit) ? null : <ButtonLink to={withQuery(keysPath, { create: "key" })} label="Create key" />),
  readRows: async (visit, _, { pool }) => ({ items: await listKeys(visit.person.organisationId, pool), nextCursor: null }),
  columns: async (visit, { pool }) => keyColumns(visit, await principalNames(visit.person.organisationId, pool)),
  isMuted: (key) => !isUsable(key),
  question: (visit, _, keys) => <KeyQuestion visit={visit} keys={keys.filter(isUsable)} />,
  aboveTable: (visit) => (isCreating(visit) ? <NewKeyForm visit={visit} /> : null),
  empty: () => <EmptyState title="No keys yet">Create one, and send it as x-api-key with each request.</EmptyState>,
});

function KeyQuestion({ visit, keys }: { visit: SignedInVisit; keys: readonly KeySummary[] }) {
  const keyToAskAbout = (what: string) => keys.find(({ keyId }) => keyId === visit.query[what]);
  const [revoke, rotate] = [keyToAskAbout("revoke"), keyToAskAbout("rotate")];
  if (revoke)
    return (
      <Question title="Revoke this key?" to={`${keysPath}/${revoke.keyId}/revoke`} back={keysPath} label="Revoke">
        <strong>{revoke.name}</strong> (<code>{revoke.prefix}</code>) stops working immediately
        {revoke.replaced ? ", and so does the old key" : ""}. This cannot be undone.
      </Question>
    );
  if (!rotate) return null;
  return (
    <Question
      title="Rotate this key?"
      to={`${keysPath}/${rotate.keyId}/rotate`}
      back={keysPath}
      label="Rotate"
      isHarmless
      fields={{ replaces: rotate.prefix }}
      choice={<Choice label="Keep the old key for" name="keep" options={keepOptions} value={String(defaultKeepHours)} />}
      details={
        rotate.replaced ? (
          <p>
            The key before it (<code>{rotate.replaced.prefix}</code>) stops working now.
          </p>
        ) : null
      }
    >
      <strong>{rotate.name}</strong> gets a new key with the same permissions. The old key (<code>{rotate.prefix}</code>) keeps working for
      the time you choose.
    </Question>
  );
}

const keepOptions = [
  { value: "0", label: "No time: it stops working now" },
  { value: String(defaultKeepHours), label: "24 hours" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
];

const newKeySecret = (text: string) => ({ title: "The new key, shown only this once", text, copyLabel: "Copy key" });
const validityDays = ["30", "90"];

function NewKeyForm({ visit }: { visit: SignedInVisit }) {
  const { person } = visit;
  const endIn = (value: string) => dayInWords(addDays(today(person.timezone, new Date()), Number(value)));
  const ends = validityDays.map((value) => ({ value, label: `${value} days, until the end of ${endIn(value)}` }));
  ends.unshift({ value: "", label: "No end, or the day below" });
  return (
    <Panel id="new-key" title="New key">
      <Form to={keysPath} class="stacked narrow-form" submit="Create key" cancel={keysPath}>
        <Field label="Name" name="name" maxlength={200} autocomplete="off" hint="Name it after the system that uses it." />
        <CheckBoxGroup
          legend={`What it can do in ${person.organisationName}`}
          name="scopes"
          options={keyScopes.map((value) => ({ value, ...scopeWords[value] }))}
        />
        <Choice label="Until" name="days" options={ends} />
        <Field label="Last day (optional)" name="lastDay" type="date" required={false} />
      </Form>
    </Panel>
  );
}

const faults = { scopes: /scope/, lastDay: /^Last day|end in the past/, name: /name/ };

const createForm = defineForm(keysList.page, { subPath: "", faults }, async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const chosenDays = validityDays.find((each) => each === fields.get("days"));
  const lastDay = chosenDays === undefined ? fields.get("lastDay") : addDays(today(timezone, new Date()), Number(chosenDays));
  const expiresAt = parseDayEnd("Last day", lastDay, timezone);
  const newKey = { organisationId, name: fields.get("name"), scopes: tickedValues(fields, "scopes"), expiresAt };
  const { key } = await createKey(organisations, newKey, originOf(visit));
  return withNotice(keysPath, "Key created. Copy it now: you cannot see it again.", newKeySecret(key));
});

const rotateForm = defineForm(keysList.page, "/{keyId}/rotate", async (visit, fields, { organisations }) => {
  const { organisationId, timezone } = visit.person;
  const rotation = { organisationId, prefix: visit.params["keyId"] ?? "", replaces: fields.get("replaces") };
  const keepHours = parseKeepHours(fields.get("keep"));
  const { key, name, old } = await rotateKey(organisations, { ...rotation, keepHours }, originOf(visit));
  const advice =
    keepHours === 0
      ? `The old key ${old.prefix} no longer works. Use the new key now.`
      : `The old key ${old.prefix} works until ${timeInWords(old.until, timezone)}. Use the new key before then. The list below shows when the old one was last used.`;
  return withNotice(keysPath, `${name} rotated. ${advice}`, newKeySecret(key));
});

const revokeForm = defineForm(keysList.page, "/{keyId}/revoke", async (visit, _, { organisations }) => {
  const { organisationId } = visit.person;
  const revoked = await revokeKey(organisations, { organisationId, prefix: visit.params["keyId"] ?? "" }, originOf(visit));
  return withNotice(keysPath, `${revoked.name} (${revoked.prefix}) revoked.`);
});

export const keys: Subject = { ...keysList, forms: [createForm, rotateForm, revokeForm] };
