// Questions that a script asks. The keyboard stays in the dialog; Escape and Cancel close it, and the focus goes back.
import { element } from "./element.js";

export interface DialogQuestion {
  readonly title: string;
  readonly content: readonly (Node | string)[];
  /** The label of the button that goes ahead. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** For tables. */
  readonly isWide?: boolean;
  /** Where the focus begins; the button that goes ahead unless it is dangerous. */
  readonly focus?: HTMLElement;
  /** Gets that button, for a question whose answer depends on what is typed. */
  readonly bind?: (button: HTMLButtonElement) => void;
}

/** Resolves with whether the person goes ahead. */
export function ask({ title, content, confirm, isDangerous = false, isWide = false, focus, bind }: DialogQuestion): Promise<boolean> {
  const cancel = element("button", { type: "button", class: "quiet" }, "Cancel");
  const button = element("button", { value: "yes", ...(isDangerous ? { class: "danger" } : {}) }, confirm);
  const form = element("form", { method: "dialog" }, ...content, element("div", { class: "answers" }, cancel, button));
  const dialog = element("dialog", { "aria-label": title, ...(isWide ? { class: "wide-dialog" } : {}) }, element("h2", {}, title), form);
  document.body.append(dialog);
  cancel.addEventListener("click", () => dialog.close());
  bind?.(button);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
    (focus ?? (isDangerous ? cancel : button)).focus();
  });
}
