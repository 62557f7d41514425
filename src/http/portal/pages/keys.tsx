import { createKey, revokeKey } from "../../../commands/organisations/keys.js";
import { type KeySummary, listKeys } from "../../../queries/organisations/keys.js";
import { done, type FormOf, originOf, type PageOf, type SignedInVisit } from "../page.js";
import { AskButton, Field, Form, NoQuestion, Question } from "../shell/form.js";
import { type Column, EmptyState, Panel, Table } from "../shell/panel.js";
import { OnlyOnce, Time } from "../shell/values.js";

const path = "/portal/settings/keys";

export const keysPage: PageOf<SignedInVisit> = {
  path,
  access: "keys",
  show: async (visit, { pool }) => {
    const keys = await listKeys(pool, visit.person.organisationId);
    const toRevoke = keys.find(({ keyId, revokedAt }) => keyId === visit.query["revoke"] && !revokedAt);
    return {
      title: "API Keys",
      body: (
        <>
          {visit.notice?.once ? <OnlyOnce title="The new key, shown only this once" text={visit.notice.once} copyLabel="Copy key" /> : null}
          {toRevoke ? <RevokeQuestion visit={visit} apiKey={toRevoke} /> : <NoQuestion />}
          <Panel id="new-key" title="New key">
            <Form visit={visit} to={path} class="in-line">
              <Field label="Name" name="name" maxlength={200} value={visit.submitted.get("name")} autocomplete="off" />
              <button type="submit">Create key</button>
            </Form>
            <p class="hint">
              Name it after what uses it. A key can do everything that the API offers, for {visit.person.organisationName} alone.
            </p>
          </Panel>
          <Panel id="keys" title="Keys">
            <Table
              caption="API keys, the oldest first"
              columns={columns(visit)}
              rows={keys}
              empty={<EmptyState title="No keys yet">Create one, and send it as x-api-key with each request.</EmptyState>}
              muted={({ revokedAt }) => revokedAt !== null}
            />
          </Panel>
        </>
      ),
    };
  },
};

const RevokeQuestion = ({ visit, apiKey: { keyId, name, prefix } }: { visit: SignedInVisit; apiKey: KeySummary }) => (
  <Question visit={visit} title="Revoke this key?" to={`${path}/${keyId}/revoke`} back={path} label="Revoke">
    <p>
      <strong>{name}</strong> (<code>{prefix}</code>) stops working with its next request, everywhere. This cannot be undone.
    </p>
  </Question>
);

const columns = (visit: SignedInVisit): readonly Column<KeySummary>[] => [
  { heading: "Name", names: true, cell: ({ name }) => name },
  { heading: "Prefix", cell: ({ prefix }) => <code>{prefix}</code> },
  { heading: "Created", cell: ({ createdAt }) => <Time visit={visit} at={createdAt} /> },
  { heading: "Last used", cell: ({ lastUsedAt }) => <Time visit={visit} at={lastUsedAt} otherwise="Never" /> },
  {
    heading: "Action",
    number: true,
    cell: ({ keyId, name, revokedAt }) =>
      revokedAt ? (
        <span>
          Revoked <Time visit={visit} at={revokedAt} />
        </span>
      ) : (
        <div class="actions">
          <AskButton visit={visit} at={path} question={{ revoke: keyId }} label="Revoke" about={`the key ${name}`} />
        </div>
      ),
  },
];

const createForm: FormOf<SignedInVisit> = {
  path,
  access: "keys",
  page: keysPage,
  submit: async (visit, fields, { organisations }) => {
    const { organisationId } = visit.person;
    const { key } = await createKey(organisations, { organisationId, name: fields.get("name") }, originOf(visit));
    return done(path, "Key created. Copy it now: only its beginning is kept.", key);
  },
};

const revokeForm: FormOf<SignedInVisit> = {
  path: `${path}/{keyId}/revoke`,
  access: "keys",
  page: keysPage,
  submit: async (visit, _, { organisations }) => {
    const { organisationId } = visit.person;
    const prefix = visit.params["keyId"] ?? "";
    const revoked = await revokeKey(organisations, { organisationId, prefix }, originOf(visit));
    return done(path, `${revoked.name} (${revoked.prefix}) is revoked.`);
  },
};

export const keyForms = [createForm, revokeForm];
