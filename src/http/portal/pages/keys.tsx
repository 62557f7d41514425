import { createKey, revokeKey } from "../../../commands/organisations/organisation.js";
import { type KeySummary, listKeys } from "../../../queries/organisations/organisations.js";
import type { FormOf, PageOf } from "../page.js";
import { AskButton, NoQuestion, Question } from "../shell/dialog.js";
import { Field, Form } from "../shell/form.js";
import { type Column, EmptyState, Table } from "../shell/table.js";
import { OnlyOnce, Time } from "../shell/values.js";
import { originOf, type SignedInVisit } from "../visit.js";

const path = "/portal/settings/keys";

export const keysPage: PageOf<SignedInVisit> = {
  path,
  access: "keys",
  show: async (visit, { pool }) => {
    const keys = await listKeys(pool, visit.person.organisationId);
    const asked = keys.find(({ keyId, revokedAt }) => keyId === visit.query["revoke"] && !revokedAt);
    return {
      title: "API Keys",
      body: (
        <>
          {visit.notice?.once ? <OnlyOnce title="The new key, shown only this once" text={visit.notice.once} copyLabel="Copy key" /> : null}
          {asked ? <RevokeQuestion visit={visit} asked={asked} /> : <NoQuestion />}
          <section class="panel" aria-labelledby="new-key">
            <h2 id="new-key">New key</h2>
            <Form visit={visit} to={path} class="in-line">
              <Field label="Name" name="name" maxlength={200} value={visit.submitted.get("name")} autocomplete="off" />
              <button type="submit">Create key</button>
            </Form>
            <p class="hint">
              Name it after what uses it. A key can do everything that the API offers, for {visit.person.organisationName} alone.
            </p>
          </section>
          <section class="panel" aria-labelledby="keys">
            <h2 id="keys">Keys</h2>
            {keys.length === 0 ? (
              <EmptyState title="No keys yet">Create one, and send it as x-api-key with each request.</EmptyState>
            ) : (
              <Table
                caption="API keys, the oldest first"
                columns={columns(visit)}
                rows={keys}
                muted={({ revokedAt }) => revokedAt !== null}
              />
            )}
          </section>
        </>
      ),
    };
  },
};

function RevokeQuestion({ visit, asked }: { visit: SignedInVisit; asked: KeySummary }) {
  return (
    <Question visit={visit} title="Revoke this key?" to={`${path}/${asked.keyId}/revoke`} back={path} label="Revoke">
      <p>
        <strong>{asked.name}</strong> (<code>{asked.prefix}</code>) stops working with its next request, everywhere. This cannot be undone.
      </p>
    </Question>
  );
}

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
    const lines = ["Key created. Copy it now: only its beginning is kept."];
    return { goTo: path, notice: { kind: "done", lines, once: key } };
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
    return { goTo: path, notice: { kind: "done", lines: [`${revoked.name} (${revoked.prefix}) is revoked.`] } };
  },
};

export const keyForms = [createForm, revokeForm];
