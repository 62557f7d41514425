// Find and replace in a column: says how many cells it finds, and shows what becomes of them, before it replaces anything.
import { ask } from "../dialog.js";
import { element } from "../element.js";
import { type CellChange, changesTable, count, headingOf, type Names } from "./changes.js";
import type { Column } from "./rows.js";
import { cellValue, type Sheet } from "./sheet.js";

interface Search {
  readonly field: string;
  /** Empty for the cells that are empty. */
  readonly find: string;
  readonly replacement: string;
  readonly whole: boolean;
}

/** Letter case does not matter for finding. */
function replacedIn(text: string, find: string, replacement: string): string {
  const wanted = find.toLowerCase();
  let after = "";
  for (let at = 0; at < text.length; ) {
    const isFound = text.slice(at, at + find.length).toLowerCase() === wanted;
    after += isFound ? replacement : text.charAt(at);
    at += isFound ? find.length : 1;
  }
  return after;
}

/** The cells that would change. Letter case does not matter for finding. */
export function cellsToReplace(sheet: Pick<Sheet, "rows">, { field, find, replacement, whole }: Search): CellChange[] {
  const wanted = find.trim().toLowerCase();
  return sheet.rows.flatMap((row) => {
    if (row.held !== undefined || row.sending) return [];
    const before = cellValue(row, field);
    const isWhole = before.trim().toLowerCase() === wanted;
    const after = isWhole ? replacement : whole || find === "" ? before : replacedIn(before, find, replacement);
    return after === before ? [] : [{ row, field, before, after }];
  });
}

interface Start {
  readonly columns: readonly Column[];
  readonly field: string | undefined;
  readonly find: string;
  readonly replacement?: string;
  readonly references: Names["references"];
}

/** Resolves with what to change; with nothing where the person has cancelled. */
export async function askToReplace(sheet: Sheet, { columns, field, find, replacement = "", references }: Start): Promise<CellChange[]> {
  const select = element("select", { id: "replace-column" });
  for (const { name, heading } of columns) select.append(new Option(heading, name, false, name === field));
  const text = (id: string, value: string) => Object.assign(element("input", { id, autocomplete: "off", maxlength: "1000" }), { value });
  const [finding, replacing] = [text("replace-find", find), text("replace-with", replacement)];
  const whole = element("input", { type: "checkbox", id: "replace-whole" });
  whole.checked = find !== "";
  const emptying = element("input", { type: "checkbox", id: "replace-empty" });
  const said = element("p", { role: "status" });
  const shown = element("div");
  let changes: CellChange[] = [];
  let confirm: HTMLButtonElement | undefined;
  const look = () => {
    changes = cellsToReplace(sheet, { field: select.value, find: finding.value, replacement: replacing.value, whole: whole.checked });
    const column = headingOf(select.value, columns);
    said.textContent =
      changes.length === 0 ? `Nothing to replace in ${column}.` : `${count(changes.length, "cell")} in ${column} will be replaced.`;
    shown.replaceChildren(...(changes.length === 0 ? [] : changesTable(changes, { columns, references })));
    if (!confirm) return;
    confirm.textContent = changes.length === 0 ? "Replace" : `Replace ${count(changes.length, "cell")}`;
    confirm.disabled = changes.length === 0 || (replacing.value === "" && !emptying.checked);
    empty.hidden = replacing.value !== "";
  };
  const labelled = (label: string, input: HTMLElement) =>
    element("div", { class: "field" }, element("label", { for: input.id }, label), input);
  const fields = element(
    "div",
    { class: "replace-fields" },
    labelled("In column", select),
    labelled("Find", finding),
    labelled("Replace with", replacing),
  );
  const check = element("label", { class: "check" }, whole, "Match whole cells only");
  const empty = element("label", { class: "check" }, emptying, "Empty these cells");
  const hint = element("p", { class: "hint" }, "Leave Find empty to find empty cells.");
  for (const input of [select, finding, replacing, whole, emptying]) input.addEventListener("input", look);
  const isGiven = await ask({
    title: "Find and replace",
    content: [fields, check, empty, hint, said, shown],
    confirm: "Replace",
    isWide: true,
    focus: find === "" ? finding : replacing,
    bind: (button) => {
      confirm = button;
      look();
    },
  });
  return isGiven ? changes : [];
}
