// The page's forms, for browsers without scripts.
import { Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import type { FormOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { dismiss, reopen } from "./changes.js";
import { correctionsPath } from "./filter.js";
import { correctionsPage } from "./page.js";

/** `<import id>:<row>,<row>`, once for each shipment or activity that is chosen. */
function chosenRows(chosen: readonly string[]): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const each of chosen) {
    const [importId = "", numbers = ""] = each.split(":");
    const parsed = numbers.split(",").map(Number);
    if (!isUuid(importId) || parsed.some((row) => !Number.isInteger(row) || row < 1 || row > 2_147_483_647))
      throw new Rejection("invalid", "The form does not name rows");
    rows.set(importId, [...(rows.get(importId) ?? []), ...parsed]);
  }
  if (rows.size === 0) throw new Rejection("invalid", "Select at least one row");
  return rows;
}

const settleForm = (what: string, settle: typeof dismiss, done: string): FormOf<SignedInVisit> => ({
  path: `${correctionsPath}/${what}`,
  access: "operate",
  page: correctionsPage,
  submit: async (visit, fields, deps) => {
    let count = 0;
    for (const [importId, rows] of chosenRows(fields.all("rows"))) {
      await settle(visit, deps, { importId, rows, note: fields.get("note") });
      count += rows.length;
    }
    const back = fields.get("back");
    const goTo = back.startsWith(`${correctionsPath}?`) ? back : correctionsPath;
    return { goTo, notice: { kind: "done", lines: [`${count === 1 ? "1 row is" : `${count} rows are`} ${done}.`] } };
  },
});

export const correctionForms = [settleForm("dismiss", dismiss, "dismissed"), settleForm("reopen", reopen, "open again")];
