import { defaultKeepHours } from "../../../../domain/keyRotation.js";
import type { KeySummary } from "../../../../queries/organisations/keys.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Choice, NoQuestion, Question } from "../../shell/form.js";
import { keysPath as path } from "./keyWords.js";

export function KeyQuestion({ visit, keys }: { visit: SignedInVisit; keys: readonly KeySummary[] }) {
  const named = (what: string) => keys.find(({ keyId }) => keyId === visit.query[what]);
  const [revoke, rotate] = [named("revoke"), named("rotate")];
  if (revoke)
    return (
      <Question visit={visit} title="Revoke this key?" to={`${path}/${revoke.keyId}/revoke`} back={path} label="Revoke">
        <p>
          <strong>{revoke.name}</strong> (<code>{revoke.prefix}</code>) stops working immediately
          {revoke.replaced ? ", and so does the old key" : ""}. This cannot be undone.
        </p>
      </Question>
    );
  return rotate ? <RotateQuestion visit={visit} apiKey={rotate} /> : <NoQuestion />;
}

const keeps = [
  { value: "0", label: "No time: it stops working now" },
  { value: String(defaultKeepHours), label: "24 hours" },
  { value: "72", label: "3 days" },
  { value: "168", label: "7 days" },
];

const RotateQuestion = ({ visit, apiKey: { keyId, name, prefix, replaced } }: { visit: SignedInVisit; apiKey: KeySummary }) => (
  <Question
    visit={visit}
    title="Rotate this key?"
    to={`${path}/${keyId}/rotate`}
    back={path}
    label="Rotate"
    harmless
    fields={{ replaces: prefix }}
    choice={<Choice label="Keep the old key for" name="keep" options={keeps} value={String(defaultKeepHours)} />}
  >
    <p>
      <strong>{name}</strong> gets a new key with the same permissions. The old key (<code>{prefix}</code>) keeps working for the time you
      choose.
    </p>
    {replaced ? (
      <p>
        The key before it (<code>{replaced.prefix}</code>) stops working now.
      </p>
    ) : null}
  </Question>
);
