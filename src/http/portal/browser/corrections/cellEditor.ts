// Editing one cell, with the list of what fits into it: below a cell that is edited, or beside a faulty one that was clicked. The server says what
// is near; it is offered, and taken only when a person takes it.
import { element } from "../element.js";
import { count } from "./changes.js";
import { cellsToReplace } from "./manyCells.js";
import type { Settings } from "./rows.js";
import { askServer } from "./server.js";
import { cellValue, isOpen } from "./sheet.js";
import type { CellPosition, CorrectionPage } from "./view.js";

const quietMs = 120;
const mostOffered = 4;

/** `take`: what is done with the value. */
const offerOf =
  (take: (value: string) => void) =>
  ({ value, label = "" }: Suggestion): Offer => ({ text: value, hint: label, take: () => take(value) });

export function createCellEditor({ view, sheet, settings, change }: CorrectionPage) {
  let editing: { readonly input: HTMLInputElement; readonly position: CellPosition } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const offers = createOfferList(view.frame);

  /** Ends the editing: `keep`: with what was typed, `focus`: with the focus back on the cell. */
  const end = ({ keep, focus }: { keep: boolean; focus: boolean }) => {
    if (!editing) return;
    const { input, position } = editing;
    editing = undefined;
    clearTimeout(timer);
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
    if (editing?.input !== input || input.value !== text || !cell) return;
    const take = (value: string) => {
      input.value = value;
      end({ keep: true, focus: true });
    };
    const others = fitting.filter(({ value }) => value !== text).map(offerOf(take));
    offers.tie(input);
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
    input.setAttribute("aria-label", `${view.columns[column - view.leading]?.heading}, row ${row.served.row}`);
    editing = { input, position: view.active };
    cell.replaceChildren(input);
    input.focus();
    input.addEventListener("blur", () => end({ keep: true, focus: false }));
    if (!settings.suggested.includes(field)) return;
    offers.tie(input);
    void suggestFor(input, field);
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => void suggestFor(input, field), quietMs);
    });
  };
  /** A key that is pressed while a cell is edited. */
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") end({ keep: false, focus: true });
    else if (step !== undefined && offers.isOpen()) offers.move(step);
    else if (event.key === "Enter" || event.key === "Tab") {
      const marked = offers.marked();
      if (editing && marked) editing.input.value = marked.text;
      end({ keep: true, focus: false });
      const back = event.shiftKey ? -1 : 1;
      const { row, column } = view.active;
      view.goTo(event.key === "Enter" ? { row: row + back, column } : { row, column: Math.max(view.leading, column + back) });
    } else return;
    event.stopPropagation();
    event.preventDefault();
  };

  /** Offers what is near to the value of the active cell, if that is at fault: the nearest also for all cells of the column with this value. */
  const offer = async () => {
    const position = view.active;
    const [row, field, cell] = [sheet.rows[position.row], view.fieldAt(position.column), view.cellAt(position)];
    if (!settings.editable || !row || row.closure || field === undefined || !cell || !settings.suggested.includes(field)) return;
    const find = cellValue(row, field);
    if (find.trim() === "" || cell.getAttribute("aria-invalid") !== "true") return;
    const near = (await suggestionsFor(settings, field, find)).filter((each) => each.near && each.value !== find).slice(0, mostOffered);
    if (editing || view.active !== position || view.anchor !== position || view.cellAt(position) !== cell) return;
    const shown = near.map(offerOf((value) => change([{ row, field, value }])));
    const replacement = near[0]?.value ?? "";
    const same = cellsToReplace(sheet, { field, find, replacement, whole: true });
    if (near.length > 0 && same.length > 1)
      shown.splice(1, 0, { text: replacement, hint: `in all ${count(same.length, "cell")} with ${find}`, take: () => change(same) });
    offers.show(cell, shown, "beside");
  };
  return { isEditing: () => editing !== undefined, begin, end, key, offer: () => void offer(), closeOffers: offers.close };
}

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
