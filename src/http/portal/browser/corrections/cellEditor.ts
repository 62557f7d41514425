// Edits one cell and offers known values for it: below a cell that is being edited, or beside a faulty cell that was clicked. The server
// finds values that are similar to the cell's text. A value is used only if the person chooses it.
import { element } from "../element.js";
import { count } from "./changes.js";
import { cellsToReplace } from "./manyCells.js";
import type { Settings } from "./rows.js";
import { askServer } from "./server.js";
import { cellValue, isOpen } from "./sheet.js";
import type { CellPosition, CorrectionPage } from "./view.js";

const typingPauseMs = 120;
const maxOffers = 4;

const toOffer =
  (accept: (value: string) => void) =>
  ({ value, label = "" }: CellSuggestion): Offer => ({ text: value, hint: label, accept: () => accept(value) });

export function createCellEditor({ view, sheet, settings, change }: CorrectionPage) {
  let edit: { readonly input: HTMLInputElement; readonly position: CellPosition } | undefined;
  let suggestTimer: ReturnType<typeof setTimeout> | undefined;
  const offers = createOfferList(view.frame);

  /** Ends editing. `keep`: changes the cell to what was typed. `focus`: puts the focus back on the cell. */
  const end = ({ keep, focus }: { keep: boolean; focus: boolean }) => {
    if (!edit) return;
    const { input, position } = edit;
    edit = undefined;
    clearTimeout(suggestTimer);
    offers.close();
    const [row, field, cell] = [sheet.rows[position.row], view.fieldAt(position.column), input.parentElement];
    if (cell && row && field !== undefined) cell.textContent = cellValue(row, field);
    if (keep && row && field !== undefined) change([{ row, field, value: input.value }]);
    if (focus) view.goTo(view.active);
    else view.refresh();
  };
  const suggestFor = async (input: HTMLInputElement, field: string) => {
    const text = input.value;
    const fitting = await suggestionsFor(settings, field, text);
    const cell = input.parentElement;
    if (edit?.input !== input || input.value !== text || !cell) return;
    const accept = (value: string) => {
      input.value = value;
      end({ keep: true, focus: true });
    };
    const others = fitting.filter(({ value }) => value !== text).map(toOffer(accept));
    offers.attachTo(input);
    offers.show(cell, others, "below");
  };
  const begin = (typed?: string) => {
    const { row: index, column } = view.active;
    const [row, field, cell] = [sheet.rows[index], view.fieldAt(column), view.cellAt(view.active)];
    if (!settings.editable || !row || field === undefined || !cell || !isOpen(row)) return;
    offers.close();
    view.anchor = view.active;
    const input = document.createElement("input");
    input.value = typed ?? cellValue(row, field);
    input.maxLength = 4_000;
    input.setAttribute("aria-label", `${view.columns[column - view.leadingCount]?.heading}, row ${row.served.row}`);
    edit = { input, position: view.active };
    cell.replaceChildren(input);
    input.focus();
    input.addEventListener("blur", () => end({ keep: true, focus: false }));
    if (!settings.suggested.includes(field)) return;
    offers.attachTo(input);
    void suggestFor(input, field);
    input.addEventListener("input", () => {
      clearTimeout(suggestTimer);
      suggestTimer = setTimeout(() => void suggestFor(input, field), typingPauseMs);
    });
  };
  /** Handles a key that is pressed while a cell is being edited. */
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") end({ keep: false, focus: true });
    else if (step !== undefined && offers.isOpen()) offers.move(step);
    else if (event.key === "Enter" || event.key === "Tab") {
      const markedOffer = offers.markedOffer();
      if (edit && markedOffer) edit.input.value = markedOffer.text;
      end({ keep: true, focus: false });
      const back = event.shiftKey ? -1 : 1;
      const { row, column } = view.active;
      view.goTo(event.key === "Enter" ? { row: row + back, column } : { row, column: Math.max(view.leadingCount, column + back) });
    } else return;
    event.stopPropagation();
    event.preventDefault();
  };

  /** If the active cell is faulty, offers similar values, and the most similar one also for all cells of the column with the same text. */
  const offerNearby = async () => {
    const position = view.active;
    const [row, field, cell] = [sheet.rows[position.row], view.fieldAt(position.column), view.cellAt(position)];
    if (!settings.editable || !row || row.closure || field === undefined || !cell || !settings.suggested.includes(field)) return;
    const find = cellValue(row, field);
    if (find.trim() === "" || cell.getAttribute("aria-invalid") !== "true") return;
    const nearby = (await suggestionsFor(settings, field, find)).filter((each) => each.near && each.value !== find).slice(0, maxOffers);
    if (edit || view.active !== position || view.anchor !== position || view.cellAt(position) !== cell) return;
    const shownOffers = nearby.map(toOffer((value) => change([{ row, field, value }])));
    const replacement = nearby[0]?.value ?? "";
    const sameCells = cellsToReplace(sheet, { field, find, replacement, wholeCells: true });
    const hint = `in all ${count(sameCells.length, "cell")} with ${find}`;
    if (nearby.length > 0 && sameCells.length > 1) shownOffers.splice(1, 0, { text: replacement, hint, accept: () => change(sameCells) });
    offers.show(cell, shownOffers, "beside");
  };
  return { isEditing: () => edit !== undefined, begin, end, handleKey, offerNearby: () => void offerNearby(), closeOffers: offers.close };
}

export interface CellSuggestion {
  readonly value: string;
  readonly label?: string;
  readonly near: boolean;
}

export interface Offer {
  readonly text: string;
  readonly hint: string;
  readonly accept: () => void;
}

/** Asks the server for values that are similar to the text. Resolves with none if the server does not answer. */
export async function suggestionsFor({ base }: Pick<Settings, "base">, field: string, text: string): Promise<readonly CellSuggestion[]> {
  const query = new URLSearchParams({ field, text: text.slice(0, 200) });
  const answer = await askServer<{ suggestions: readonly CellSuggestion[] }>(`${base}/suggestions?${query}`).catch(() => undefined);
  // Scrolling closes the list. The wait lets the scroll event pass if the cell was just scrolled into view.
  await new Promise((resolve) => requestAnimationFrame(resolve));
  return answer?.suggestions ?? [];
}

const gap = 2;

export function createOfferList(frame: HTMLElement) {
  const list = element("ul", { id: "suggestions", class: "suggestions", role: "listbox", "aria-label": "Suggestions" });
  let offers: readonly Offer[] = [];
  let markedIndex = -1;
  let input: HTMLInputElement | undefined;
  const mark = (next: number) => {
    markedIndex = next;
    for (const [index, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(index === markedIndex));
    if (markedIndex < 0) input?.removeAttribute("aria-activedescendant");
    else input?.setAttribute("aria-activedescendant", `suggestion-${markedIndex}`);
    list.children[markedIndex]?.scrollIntoView({ block: "nearest" });
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
    offer.accept();
  });
  frame.addEventListener("scroll", close, { passive: true });
  addEventListener("scroll", close, { passive: true });
  addEventListener("resize", close);
  // In the capture phase, to run before the grid's own listener, which may open the list again.
  const closeOutside = ({ target }: MouseEvent) => {
    if (target instanceof Node && !list.contains(target)) close();
  };
  document.addEventListener("mousedown", closeOutside, { capture: true });
  return {
    show: (cell: HTMLElement, newOffers: readonly Offer[], where: "below" | "beside") => {
      offers = newOffers;
      if (newOffers.length === 0) return close();
      list.replaceChildren(
        ...newOffers.map(({ text, hint }, index) =>
          element(
            "li",
            { role: "option", id: `suggestion-${index}`, "data-at": String(index) },
            text,
            ...(hint === "" ? [] : [" ", element("span", { class: "muted" }, hint)]),
          ),
        ),
      );
      frame.after(list); // inside the page's main element
      input?.setAttribute("aria-expanded", "true");
      mark(-1);
      place(list, cell, where);
    },
    close,
    isOpen: () => list.isConnected,
    /** Moves the mark one offer down or up, past the ends of the list to no offer. */
    move: (step: number) =>
      mark(markedIndex + step < -1 ? offers.length - 1 : markedIndex + step >= offers.length ? -1 : markedIndex + step),
    markedOffer: (): Offer | undefined => (list.isConnected ? offers[markedIndex] : undefined),
    /** Links the list with the field that has the keyboard focus, for screen readers. */
    attachTo: (field: HTMLInputElement) => {
      input = field;
      Object.assign(field, { role: "combobox", ariaExpanded: "false", ariaAutoComplete: "list" });
      field.setAttribute("aria-controls", list.id);
    },
  };
}

/** Positions the list next to the cell and inside the window. */
function place(list: HTMLElement, cell: HTMLElement, where: "below" | "beside"): void {
  const { left, right, top, bottom } = cell.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const viewport = document.documentElement;
  const beside = right + gap + width <= viewport.clientWidth ? right + gap : left - gap - width;
  const isBeside = where === "beside" && beside >= 0;
  const [x, y] = isBeside ? [beside, top] : [left, bottom + height <= viewport.clientHeight ? bottom : top - height];
  list.style.left = `${Math.max(0, Math.min(x, viewport.clientWidth - width))}px`;
  list.style.top = `${Math.max(0, Math.min(y, viewport.clientHeight - height))}px`;
}
