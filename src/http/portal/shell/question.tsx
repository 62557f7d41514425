// Confirmations: the button that asks for one, and the dialog with the question.
import type { Child } from "hono/jsx";
import { Button, Form, HiddenFields } from "./form.js";
import { ButtonLink, useVisit } from "./markup.js";

interface AskProps {
  /** The path of the page that asks the question. */
  readonly path: string;
  /** The parameters that make the page ask. */
  readonly question: Readonly<Record<string, string>>;
}

/** Leads to a question. A script fetches only the question; without scripts the browser loads the page with the question. */
export function AskForm({ path, question, class: kind, children }: AskProps & { class?: string; children: Child }) {
  const action = useVisit().links.to(path);
  return (
    <form method="get" action={action} class={kind} hx-get={action} hx-select="#question" hx-target="#question" hx-swap="outerHTML">
      <HiddenFields values={question} />
      {children}
    </form>
  );
}

/** A button that leads to a question. `about`: what it is about, for screen readers. `isHarmless`: does not draw it as dangerous. */
export const AskButton = ({ label, about, isHarmless, ...ask }: AskProps & { label: string; about: string; isHarmless?: boolean }) => (
  <AskForm {...ask}>
    <Button class={isHarmless ? "quiet" : "quiet danger"} aria-description={about} label={label} />
  </AskForm>
);

interface QuestionProps {
  readonly title: string;
  /** The path that the confirmation is sent to. */
  readonly to?: string;
  /** The path of the page without the question. */
  readonly back: string;
  /** The label of the confirming button. Without it the dialog only explains why the action is not possible. */
  readonly label?: string;
  /** The label of the closing button, if `Cancel` could be mistaken for the action itself. */
  readonly cancelLabel?: string;
  /** Does not draw the confirming button as dangerous. */
  readonly isHarmless?: boolean;
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields that the person fills in with the confirmation. */
  readonly choice?: Child;
  /** The first paragraph. */
  readonly children: Child;
  /** Markup after the first paragraph. */
  readonly details?: Child;
}

export function Question(props: QuestionProps) {
  const { title, to = "", back, label, cancelLabel = "Cancel", isHarmless, fields = {}, choice, children, details } = props;
  const close = <ButtonLink to={back} label={label === undefined ? "Close" : cancelLabel} quiet data-close />;
  return (
    <dialog open aria-labelledby="question-title" data-back={useVisit().links.to(back)}>
      <h2 id="question-title">{title}</h2>
      <div class="question-text">
        <p>{children}</p>
        {details}
      </div>
      {label === undefined ? (
        <div class="answers">{close}</div>
      ) : (
        <Form to={to} class="answers" hidden={fields}>
          {choice}
          {close}
          <Button class={isHarmless ? undefined : "danger"} label={label} />
        </Form>
      )}
    </dialog>
  );
}
