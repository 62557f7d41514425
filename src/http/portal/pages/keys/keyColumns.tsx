import type { Child } from "hono/jsx";
import { type KeyScope, scopesOf } from "../../../../domain/keyScopes.js";
import type { NameOf } from "../../../../domain/principal.js";
import type { KeySummary } from "../../../../queries/organisations/keys.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { AskButton } from "../../shell/form.js";
import { endInWords } from "../../shell/formats.js";
import { Time } from "../../shell/parts.js";
import { actionColumn, type Column } from "../../shell/table.js";

export const keysPath = "/portal/settings/keys";

export const isUsable = ({ revokedAt, ended }: KeySummary) => revokedAt === null && !ended;

export const scopeNames: Readonly<Record<KeyScope, string>> = {
  quotes: "Quotes",
  shipments: "Shipments",
  activities: "Activities",
  read: "Read",
};

export const scopesInWords: Readonly<Record<KeyScope, string>> = {
  quotes: "Generate and fetch quotes",
  shipments: "Import, correct, cancel and reverse shipments",
  activities: "Import, correct, cancel and reverse activities",
  read: "Read everything",
};

/** A later version may have recorded scopes that this one does not know. */
const scopeInWords = (scope: string) => (Object.hasOwn(scopesInWords, scope) ? scopesInWords[scope as KeyScope] : scope);

export const keyColumns = (visit: SignedInVisit, nameOf: NameOf): readonly Column<KeySummary>[] => {
  const until = (at: Date | null) => (at ? `Until ${endInWords(at, visit.person.timezone)}` : "No end");
  return [
    { key: "name", heading: "Name", names: true, value: ({ name }) => name, cell: ({ name }) => <span class="named">{name}</span> },
    {
      key: "prefix",
      heading: "Prefix",
      value: ({ prefix }) => prefix,
      cell: (key) => perSecret(key, <code>{key.prefix}</code>, ({ prefix }) => <code>{prefix}</code>),
    },
    {
      key: "permissions",
      heading: "Permissions",
      value: ({ scopes }) => (scopes === null ? "Everything" : scopesOf(scopes).map(scopeInWords).join(", ")),
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
      key: "created",
      heading: "Created",
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt, createdBy }) => (
        <div>
          <Time at={createdAt} />
          {createdBy ? <div class="muted">by {nameOf(createdBy)}</div> : null}
        </div>
      ),
    },
    { key: "createdBy", heading: "Created by", value: ({ createdBy }) => createdBy && nameOf(createdBy), onlyInFiles: true },
    {
      key: "lastUsed",
      heading: "Last used",
      value: ({ lastUsedAt }) => lastUsedAt,
      cell: (key) => {
        const used = (at: Date | null) => <Time at={at} otherwise="Never" />;
        return perSecret(key, used(key.lastUsedAt), ({ lastUsedAt }) => used(lastUsedAt));
      },
    },
    {
      key: "ends",
      heading: "Ends",
      value: ({ expiresAt }) => expiresAt,
      cell: (key) => perSecret(key, until(key.expiresAt), ({ validUntil }) => until(validUntil)),
    },
    { ...actionColumn(Actions), key: "state", value: ({ revokedAt, ended }) => (revokedAt ? "Revoked" : ended ? "Ended" : "Valid") },
  ];
};

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
      <AskButton at={keysPath} question={{ rotate: keyId }} label="Rotate" about={about} harmless />
      <AskButton at={keysPath} question={{ revoke: keyId }} label="Revoke" about={about} />
    </>
  );
}
