// Editing one cell, with what fits into it. The nearest is offered, and taken only when a person takes it.
import { count } from "./changes.js";
import { cellsToReplace } from "./manyCells.js";
import { cellValue, isOpen } from "./sheet.js";
import { createOfferList, type Offer, type Suggestion, suggestionsFor } from "./suggestions.js";
import type { CellPosition, Grid } from "./view.js";

const quietMs = 120;
const mostOffered = 4;

/** `take`: what is done with the value. */
const offerOf =
  (take: (value: string) => void) =>
  ({ value, label = "" }: Suggestion): Offer => ({ text: value, hint: label, take: () => take(value) });

export function createCellEditor({ view, sheet, settings, change }: Grid) {
  let editing: { readonly input: HTMLInputElement; readonly position: CellPosition } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const offers = createOfferList(view.frame);

  const end = (keep: boolean, focus = true) => {
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
      end(true);
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
    input.setAttribute("aria-label", `${view.columns[column - view.leading]?.heading}, row ${row.sent.row}`);
    editing = { input, position: view.active };
    cell.replaceChildren(input);
    input.focus();
    input.addEventListener("blur", () => end(true, false));
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
    if (event.key === "Escape") end(false);
    else if (step !== undefined && offers.isOpen()) offers.move(step);
    else if (event.key === "Enter" || event.key === "Tab") {
      const marked = offers.marked();
      if (editing && marked) editing.input.value = marked.text;
      end(true, false);
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
