import type { Child } from "hono/jsx";
import { scopesOf } from "../../../../domain/keyScopes.js";
import type { NameOf } from "../../../../domain/principal.js";
import type { KeySummary } from "../../../../queries/organisations/keys.js";
import type { SignedInVisit } from "../../page.js";
import { AskButton } from "../../shell/form.js";
import type { Column } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { isUsable, keysPath as path, scopeInWords } from "./parts.js";

export const keyColumns = (visit: SignedInVisit, nameOf: NameOf): readonly Column<KeySummary>[] => [
  { heading: "Name", names: true, cell: ({ name }) => <span class="named">{name}</span> },
  {
    heading: "Prefix",
    cell: (key) => perSecret(key, <code>{key.prefix}</code>, ({ prefix }) => <code>{prefix}</code>),
  },
  {
    heading: "Permissions",
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
  },
  {
    heading: "Created",
    cell: ({ createdAt, createdBy }) => (
      <div>
        <Time visit={visit} at={createdAt} />
        {createdBy ? <div class="muted">by {nameOf(createdBy)}</div> : null}
      </div>
    ),
  },
  {
    heading: "Last used",
    cell: (key) =>
      perSecret(key, <Time visit={visit} at={key.lastUsedAt} otherwise="Never" />, ({ lastUsedAt }) => (
        <Time visit={visit} at={lastUsedAt} otherwise="Never" />
      )),
  },
  {
    heading: "Ends",
    cell: (key) =>
      perSecret(key, <Time visit={visit} at={key.expiresAt} otherwise="Never" />, ({ validUntil }) => (
        <Time visit={visit} at={validUntil} />
      )),
  },
  { heading: "Action", number: true, cell: (key) => <Actions visit={visit} apiKey={key} /> },
];

type Replaced = NonNullable<KeySummary["replaced"]>;

/** While two secrets are valid, a line for each. */
const perSecret = (key: KeySummary, newest: Child, old: (replaced: Replaced) => Child): Child =>
  key.replaced && isUsable(key) ? (
    <div class="unbroken">
      <div>New: {newest}</div>
      <div>Old: {old(key.replaced)}</div>
    </div>
  ) : (
    newest
  );

function Actions({ visit, apiKey: { keyId, name, revokedAt, ended, expiresAt } }: { visit: SignedInVisit; apiKey: KeySummary }) {
  if (revokedAt || ended)
    return (
      <span>
        {revokedAt ? "Revoked" : "Ended"} <Time visit={visit} at={revokedAt ?? expiresAt} />
      </span>
    );
  const about = `the key ${name}`;
  return (
    <div class="actions">
      <AskButton visit={visit} at={path} question={{ rotate: keyId }} label="Rotate" about={about} harmless />
      <AskButton visit={visit} at={path} question={{ revoke: keyId }} label="Revoke" about={about} />
    </div>
  );
}
