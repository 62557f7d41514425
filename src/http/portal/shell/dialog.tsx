import type { Child } from "hono/jsx";
import type { Visit } from "../page.js";
import { Form, HiddenFields } from "./form.js";

interface AskProps {
  readonly visit: Pick<Visit, "links">;
  /** The page that asks: this one, with the question in its address. */
  readonly at: string;
  readonly question: Readonly<Record<string, string>>;
}

/** Asks before anything is done. With a script only the question is fetched; without one the whole page comes with it. */
export function AskForm({ visit, at, question, class: kind, children }: AskProps & { class?: string; children: Child }) {
  const action = visit.links.to(at);
  return (
    <form method="get" action={action} class={kind} hx-get={action} hx-select="#question" hx-target="#question" hx-swap="outerHTML">
      <HiddenFields values={question} />
      {children}
    </form>
  );
}

/** `about`: what it is about, for users of a screen reader, who do not see the button's row. */
export const AskButton = ({ label, about, ...ask }: AskProps & { label: string; about: string }) => (
  <AskForm {...ask}>
    <button type="submit" class="quiet danger" aria-description={about}>
      {label}
    </button>
  </AskForm>
);

interface QuestionProps {
  readonly visit: Visit;
  readonly title: string;
  readonly to: string;
  /** Back to the page as it was. */
  readonly back: string;
  readonly label: string;
  /** The label of the button that closes the question, where `Cancel` could be mistaken for the action itself. */
  readonly keep?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly children: Child;
}

/** The place on a page where its questions appear; empty until one is asked. */
export const NoQuestion = () => <div id="question" />;

export function Question({ visit, title, to, back, label, keep = "Cancel", fields = {}, children }: QuestionProps) {
  return (
    <div id="question">
      <dialog open aria-labelledby="question-title" data-back={visit.links.to(back)}>
        <h2 id="question-title">{title}</h2>
        <div class="question-text">{children}</div>
        <Form visit={visit} to={to} class="answers">
          <HiddenFields values={fields} />
          <a class="button quiet" href={visit.links.to(back)} data-close>
            {keep}
          </a>
          <button type="submit" class="danger">
            {label}
          </button>
        </Form>
      </dialog>
    </div>
  );
}
