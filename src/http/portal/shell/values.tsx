import type { Visit } from "../visit.js";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-AU", { timeZone, dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  formats.set(timeZone, made);
  return made;
}

/** In the organisation's own time; the pointer, and a machine, find UTC. */
export function Time({ visit, at, otherwise = "-" }: { visit: Visit; at: Date | null | undefined; otherwise?: string }) {
  if (!at) return <span class="muted">{otherwise}</span>;
  const iso = at.toISOString();
  return (
    <time datetime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`}>
      {formatOf(visit.person?.timezone ?? "UTC").format(at)}
    </time>
  );
}

const grouped = new Intl.NumberFormat("en-AU");

export const Amount = ({ value }: { value: number }) => <span class="amount">{grouped.format(value)}</span>;

/** A long id by its beginning; the button copies all of it. */
export function ShortId({ id, about }: { id: string; about: string }) {
  return (
    <span class="short-id">
      <code title={id}>{id.length > 13 ? `${id.slice(0, 8)}...` : id}</code>
      <CopyButton text={id} label="Copy" about={about} />
    </span>
  );
}

/** Hidden until the script that makes it work is there. */
export function CopyButton({ text, label, about }: { text: string; label: string; about?: string }) {
  return (
    <button type="button" class="quiet copy" data-copy={text} aria-description={about} hidden>
      {label}
    </button>
  );
}

/** Something that is shown this once: a key, an invitation's link. */
export function OnlyOnce({ title, text, copyLabel }: { title: string; text: string; copyLabel: string }) {
  return (
    <section class="only-once" aria-labelledby="only-once-title">
      <h2 id="only-once-title">{title}</h2>
      <div class="only-once-text">
        <code>{text}</code>
        <CopyButton text={text} label={copyLabel} />
      </div>
    </section>
  );
}
