// The page's forms, for browsers without scripts.
import { Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import type { FormOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { dismiss, reopen } from "./changes.js";
import { correctionsPath } from "./filter.js";
import { correctionsPage } from "./page.js";

/** `<import id>:<row>,<row>`, once for each shipment or activity that is chosen. */
function chosenRows(chosen: readonly string[]): Map<string, Set<number>> {
  const rows = new Map<string, Set<number>>();
  for (const each of chosen) {
    const [importId = "", numbers = ""] = each.split(":");
    const parsed = numbers.split(",").map((text) => (/^\d{1,10}$/.test(text) ? Number(text) : 0));
    if (!isUuid(importId) || parsed.some((row) => row < 1 || row > 2_147_483_647))
      throw new Rejection("invalid", "The form does not name rows");
    const own = rows.get(importId) ?? new Set();
    for (const row of parsed) own.add(row);
    rows.set(importId, own);
  }
  if (rows.size === 0) throw new Rejection("invalid", "Select at least one row");
  return rows;
}

const stateForm = (what: string, change: typeof dismiss, done: string): FormOf<SignedInVisit> => ({
  path: `${correctionsPath}/${what}`,
  access: "operate",
  page: correctionsPage,
  submit: async (visit, fields, deps) => {
    let count = 0;
    for (const [importId, rows] of chosenRows(fields.all("rows"))) {
      await change(visit, deps, { importId, rows: [...rows], note: fields.get("note") });
      count += rows.size;
    }
    const back = fields.get("back");
    const goTo = back.startsWith(`${correctionsPath}?`) ? back : correctionsPath;
    return { goTo, notice: { kind: "done", lines: [`${count === 1 ? "1 row is" : `${count} rows are`} ${done}.`] } };
  },
});

export const correctionForms = [stateForm("dismiss", dismiss, "dismissed"), stateForm("reopen", reopen, "open again")];
