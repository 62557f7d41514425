// Values and sentences as a page shows them.
import type { Child } from "hono/jsx";
import { uuidPattern } from "../../../domain/uuid.js";
import type { Secret } from "../pageDefinition.js";
import { groupDigits, timeInWords } from "./formats.js";
import { Link, useVisit } from "./link.js";

interface TimeProps {
  readonly at: Date | null | undefined;
  readonly otherwise?: string;
  /** Shows seconds, where the order of events matters. */
  readonly exact?: boolean;
}

/** A time in the organisation's zone. The `title` and `datetime` attributes have it in UTC. */
export function Time({ at, otherwise = "-", exact }: TimeProps) {
  if (!at) return <span class="muted">{otherwise}</span>;
  const iso = at.toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {timeInWords(at, useVisit().person?.timezone ?? "UTC", exact)}
    </time>
  );
}

export const Amount = ({ value }: { value: number }) => <span class="amount">{groupDigits(value)}</span>;

/** An exact decimal: `1,234.5`. `signed`: more or less than before, `+1,234.5`. */
export const Quantity = ({ text, signed }: { text: string; signed?: boolean | undefined }) => (
  <span class="amount">{`${signed && !text.startsWith("-") && /[1-9]/.test(text) ? "+" : ""}${groupDigits(text)}`}</span>
);

/** About half of a narrow column: a longer text has to break somewhere. */
const longestUnbroken = 32;

/** An id or a name that is read as one: it is not broken in two, unless it is too long for its column. */
export const Unbroken = ({ text }: { text: string }) => <span class={text.length > longestUnbroken ? "breaks" : "unbroken"}>{text}</span>;

/** A long id by its beginning; the button copies all of it. */
export const ShortId = ({ id, about }: { id: string; about: string }) => (
  <span class="short-id">
    <code title={id}>{id.length > 13 ? `${id.slice(0, 8)}...` : id}</code>
    <CopyButton text={id} label="Copy" about={about} />
  </span>
);

/** Hidden until the script that makes it work is there. */
export const CopyButton = ({ text, label, about }: { text: string; label: string; about?: string }) => (
  <button type="button" class="quiet copy" data-copy={text} aria-description={about}>
    {label}
  </button>
);

export const OnlyOnce = ({ title, text, copyLabel }: Secret) => (
  <section class="notice done only-once" aria-labelledby="only-once-title">
    <h2 id="only-once-title">{title}</h2>
    <div class="only-once-text">
      <code>{text}</code>
      <CopyButton text={text} label={copyLabel} />
    </div>
  </section>
);

/** With commas between them. */
export const withCommas = (parts: readonly Child[]): Child[] => parts.flatMap((part, index) => (index === 0 ? [part] : [", ", part]));

const named = new RegExp(`\\bimport (${uuidPattern})`, "gi");

/** A sentence as the API says it. Where it names an import by its id, the id is short here and leads to the import. */
export function Sentence({ text }: { text: string }) {
  const parts: unknown[] = [];
  let end = 0;
  for (const { 1: importId = "", index } of text.matchAll(named)) {
    const start = index + "import ".length;
    parts.push(
      text.slice(end, start),
      <Link to={`/portal/imports/${importId}`} title={importId}>
        {importId.slice(0, 8)}...
      </Link>,
    );
    end = start + importId.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
