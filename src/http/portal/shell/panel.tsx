// The parts that a page is made of.
import type { Child } from "hono/jsx";

interface PanelProps {
  /** Of the heading; a link may lead to it. */
  readonly id: string;
  readonly title: Child;
  readonly class?: string;
  readonly children: Child;
}

/** A part of a page under its own heading. */
export const Panel = ({ id, title, class: more, children }: PanelProps) => (
  <section class={more ? `panel ${more}` : "panel"} aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

export type Fact = readonly [label: string, value: Child];

export const Facts = ({ facts, class: kind = "facts" }: { facts: readonly Fact[]; class?: "facts" | "figures" | "values" }) => (
  <dl class={kind}>
    {facts.map(([label, value]) => (
      <div>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

export function EmptyState({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}

/** A state in a word, on a colour that says whether it is good. */
export const Badge = ({ state: { label, badge } }: { state: { readonly label: string; readonly badge: string } }) => (
  <span class={`badge ${badge}`}>{label}</span>
);
