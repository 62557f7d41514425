// A page asks before something is done: the button that asks, and the question that appears in the page's frame.
import type { Child } from "hono/jsx";
import { Button, Form, HiddenFields } from "./form.js";
import { ButtonLink, useVisit } from "./parts.js";

interface AskProps {
  /** The page that asks: this one, with the question in its address. */
  readonly at: string;
  readonly question: Readonly<Record<string, string>>;
}

/** Asks before anything is done. With a script only the question is fetched; without one the whole page comes with it. */
export function AskForm({ at, question, class: kind, children }: AskProps & { class?: string; children: Child }) {
  const action = useVisit().links.to(at);
  return (
    <form method="get" action={action} class={kind} hx-get={action} hx-select="#question" hx-target="#question" hx-swap="outerHTML">
      <HiddenFields values={question} />
      {children}
    </form>
  );
}

/**
 * `about`: what it is about, for users of a screen reader, who do not see the button's row. `harmless`: it is not drawn as something that takes
 * away.
 */
export const AskButton = ({ label, about, harmless, ...ask }: AskProps & { label: string; about: string; harmless?: boolean }) => (
  <AskForm {...ask}>
    <Button class={harmless ? "quiet" : "quiet danger"} aria-description={about} label={label} />
  </AskForm>
);

interface QuestionProps {
  readonly title: string;
  readonly to?: string;
  /** Back to the page as it was. */
  readonly back: string;
  readonly label?: string;
  /** The label of the button that closes the question, where `Cancel` could be mistaken for the action itself. */
  readonly keep?: string;
  /** The answer takes nothing away. */
  readonly harmless?: boolean;
  readonly fields?: Readonly<Record<string, string>>;
  /** What is chosen with the answer. */
  readonly choice?: Child;
  /** The first paragraph. */
  readonly children: Child;
  readonly more?: Child;
}

/** Without a label there is nothing to decide: it says why, and closes. */
export function Question({ title, to = "", back, label, keep = "Cancel", harmless, fields = {}, choice, children, more }: QuestionProps) {
  const close = <ButtonLink to={back} label={label === undefined ? "Close" : keep} quiet data-close />;
  return (
    <dialog open aria-labelledby="question-title" data-back={useVisit().links.to(back)}>
      <h2 id="question-title">{title}</h2>
      <div class="question-text">
        <p>{children}</p>
        {more}
      </div>
      {label === undefined ? (
        <div class="answers">{close}</div>
      ) : (
        <Form to={to} class="answers" hidden={fields}>
          {choice}
          {close}
          <Button class={harmless ? undefined : "danger"} label={label} />
        </Form>
      )}
    </dialog>
  );
}
