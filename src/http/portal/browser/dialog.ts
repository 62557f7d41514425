// Questions that a script asks in a modal dialog. Escape and Cancel close it, and the browser puts the focus back where it was.
import { element } from "./element.js";

export interface DialogQuestion {
  readonly title: string;
  readonly content: readonly (Node | string)[];
  /** The label of the confirming button. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Makes the dialog wide enough for a table. */
  readonly isWide?: boolean;
  /** The element that gets the focus first. Defaults to the confirming button, or to Cancel if the action is dangerous. */
  readonly focus?: HTMLElement;
  /** Receives the confirming button, for a dialog that changes its label or disables it. */
  readonly bind?: (button: HTMLButtonElement) => void;
}

/** Resolves with whether the person has confirmed. */
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
