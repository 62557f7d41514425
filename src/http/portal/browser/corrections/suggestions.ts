// The list of what fits into a cell: below a cell that is edited, or beside a faulty one that was clicked. The server says what is near.
import { element } from "../element.js";
import type { Settings } from "./rows.js";
import { askServer } from "./server.js";

export interface Suggestion {
  readonly value: string;
  readonly label?: string;
  readonly near: boolean;
}

export interface Offer {
  readonly text: string;
  readonly hint: string;
  readonly take: () => void;
}

/** Where the server does not answer, nothing is suggested. */
export async function suggestionsFor({ base }: Pick<Settings, "base">, field: string, text: string): Promise<readonly Suggestion[]> {
  const query = new URLSearchParams({ field, text: text.slice(0, 200) });
  const answer = await askServer<{ suggestions: readonly Suggestion[] }>(`${base}/suggestions?${query}`).catch(() => undefined);
  // Scrolling closes the list, and the cell that it is for may just have been scrolled into view.
  await new Promise((resolve) => requestAnimationFrame(resolve));
  return answer?.suggestions ?? [];
}

const gap = 2;

export function createOfferList(frame: HTMLElement) {
  const list = element("ul", { id: "suggestions", class: "suggestions", role: "listbox", "aria-label": "Suggestions" });
  let offers: readonly Offer[] = [];
  let at = -1;
  let input: HTMLInputElement | undefined;
  const mark = (next: number) => {
    at = next;
    for (const [index, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(index === at));
    if (at < 0) input?.removeAttribute("aria-activedescendant");
    else input?.setAttribute("aria-activedescendant", `suggestion-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const close = () => {
    if (!list.isConnected) return;
    list.remove();
    mark(-1);
    input?.setAttribute("aria-expanded", "false");
    input = undefined;
  };
  list.addEventListener("mousedown", (event) => {
    event.preventDefault(); // the cell keeps the focus
    const option = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=option]") : null;
    const offer = offers[Number(option?.dataset["at"] ?? -1)];
    if (!offer) return;
    close();
    offer.take();
  });
  frame.addEventListener("scroll", close, { passive: true });
  addEventListener("scroll", close, { passive: true });
  addEventListener("resize", close);
  // Before the grid's own listener, which may open the list again.
  const closeOutside = ({ target }: MouseEvent) => {
    if (target instanceof Node && !list.contains(target)) close();
  };
  document.addEventListener("mousedown", closeOutside, { capture: true });
  return {
    show: (cell: HTMLElement, given: readonly Offer[], where: "below" | "beside") => {
      offers = given;
      if (given.length === 0) return close();
      list.replaceChildren(
        ...given.map(({ text, hint }, index) =>
          element(
            "li",
            { role: "option", id: `suggestion-${index}`, "data-at": String(index) },
            text,
            ...(hint === "" ? [] : [" ", element("span", { class: "muted" }, hint)]),
          ),
        ),
      );
      frame.after(list); // within the page's main part
      input?.setAttribute("aria-expanded", "true");
      mark(-1);
      place(list, cell, where);
    },
    close,
    isOpen: () => list.isConnected,
    /** Marks the next or the last offer. */
    move: (step: number) => mark(at + step < -1 ? offers.length - 1 : at + step >= offers.length ? -1 : at + step),
    /** The offer that is marked. */
    marked: (): Offer | undefined => (list.isConnected ? offers[at] : undefined),
    /** The field that the keyboard is in while the list is open. */
    tie: (field: HTMLInputElement) => {
      input = field;
      Object.assign(field, { role: "combobox", ariaExpanded: "false", ariaAutoComplete: "list" });
      field.setAttribute("aria-controls", list.id);
    },
  };
}

/** In the window, however near the cell is to its edge. */
function place(list: HTMLElement, cell: HTMLElement, where: "below" | "beside"): void {
  const { left, right, top, bottom } = cell.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const room = document.documentElement;
  const beside = right + gap + width <= room.clientWidth ? right + gap : left - gap - width;
  const isBeside = where === "beside" && beside >= 0;
  const [x, y] = isBeside ? [beside, top] : [left, bottom + height <= room.clientHeight ? bottom : top - height];
  list.style.left = `${Math.max(0, Math.min(x, room.clientWidth - width))}px`;
  list.style.top = `${Math.max(0, Math.min(y, room.clientHeight - height))}px`;
}
