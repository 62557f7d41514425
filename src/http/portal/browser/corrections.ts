// The page of rejected rows: loads them, and puts the parts together.
import { controlGrid } from "./corrections/control.js";
import { keptEdits } from "./corrections/edits.js";
import { judgeChanges } from "./corrections/judging.js";
import { loadRows } from "./corrections/loading.js";
import { createSheet } from "./corrections/sheet.js";
import { followStates } from "./corrections/states.js";
import { bindTools } from "./corrections/tools.js";
import type { Row, Settings } from "./corrections/types.js";
import { createView, leading } from "./corrections/view.js";

function start(panel: HTMLElement): void {
  const settings = JSON.parse(panel.dataset["settings"] ?? "{}") as Settings;
  const part = (name: string) => panel.querySelector<HTMLElement>(`[data-${name}]`);
  const [frame, grid, problem] = [part("frame"), part("grid"), part("problem")];
  if (!frame || !grid || !problem) return;
  const editable = settings.mayChange && settings.state === "open";
  const edits = keptEdits(settings.owner);
  const sheet = createSheet(settings.kind, edits);
  const view = createView(frame, grid, sheet, settings);
  const tools = bindTools(panel, { sheet, edits, view, settings });
  edits.onFull = () => tools.say("This browser has no more room: edits are lost if the page is closed before they are sent.");
  const judge = judgeChanges(sheet, settings.base, tools.say);
  const leave = () => (panel.querySelector<HTMLElement>("button") ?? panel.closest<HTMLElement>("main"))?.focus();
  const controls = controlGrid(view, sheet, { editable, say: tools.say, leave });
  tools.use(controls);
  /** Shows the whole problem of the active row, since its cell may be too narrow. */
  const showProblem = () => {
    const text = view.cellAt({ row: view.active.row, column: leading - 1 })?.title ?? "";
    const row = sheet.rows[view.active.row];
    const said =
      row && text !== "" ? `Row ${row.sent.row} of ${tools.references.get(row.sent.importId) ?? row.sent.importId}: ${text} ` : "";
    if (!row || said === "") problem.replaceChildren();
    else if (problem.firstChild?.textContent !== said) problem.replaceChildren(said, historyOf(row));
  };
  const historyOf = ({ sent: { importId, row } }: Row) =>
    Object.assign(document.createElement("a"), {
      href: `${settings.importBase}/${importId}/history?row=${row}`,
      textContent: `History of row ${row}`,
    });
  sheet.onChange = () => {
    view.refresh();
    tools.refresh();
    judge();
    requestAnimationFrame(() => requestAnimationFrame(showProblem));
  };
  grid.addEventListener("focusin", showProblem);
  void loadRows(settings.rowsUrl, sheet, view, tools);
  followStates(sheet, view, settings);
}

const template = document.querySelector<HTMLTemplateElement>("template#with-scripts");
template?.replaceWith(template.content);
for (const panel of document.querySelectorAll<HTMLElement>("#corrections")) start(panel);
