import type { Child } from "hono/jsx";
import type { Visit } from "../visit.js";
import { Form } from "./form.js";

interface AskProps {
  readonly visit: Pick<Visit, "links">;
  /** The page that asks: this one, with the question in its address. */
  readonly at: string;
  readonly question: Readonly<Record<string, string>>;
  readonly label: string;
  /** What it is about, for users of a screen reader, who do not see the button's row. */
  readonly about: string;
}

/** A button that asks before anything is done. With a script only the question is fetched; without one the whole page comes with it. */
export function AskButton({ visit, at, question, label, about }: AskProps) {
  const action = visit.links.to(at);
  return (
    <form method="get" action={action} hx-get={action} hx-select="#question" hx-target="#question" hx-swap="outerHTML">
      {Object.entries(question).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="quiet danger" aria-description={about}>
        {label}
      </button>
    </form>
  );
}

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
          {Object.entries(fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
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
