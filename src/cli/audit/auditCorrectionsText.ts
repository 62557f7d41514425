import type { CorrectionStep } from "../../audit/history/correctionStory.js";
import type { NameOf } from "../../audit/history/names.js";

/** What happened to the import's rejected rows, line by line. */
export function correctionLines(steps: readonly CorrectionStep[], nameOf: NameOf): string[] {
  if (steps.length === 0) return [];
  const lines = steps.map((step) => `  ${String(step.revision).padEnd(12)} ${step.recordedAt.toISOString()}  ${stepText(step, nameOf)}`);
  return ["", "Corrections of its rejected rows", ...lines];
}

function stepText(step: CorrectionStep, nameOf: NameOf): string {
  const { rows, by } = step.data;
  switch (step.type) {
    case "RowsClaimed": {
      const { correction, refused } = step.data;
      const taken = rows.length === 0 ? "nothing" : rowsText(rows);
      const lost = refused.map(
        ({ row, why, importId }) => `row ${row} refused: ${whyText[why]}${importId === undefined ? "" : ` import ${importId}`}`,
      );
      return [`${taken} taken by import ${correction}, recorded by ${nameOf(by)}`, ...lost].join("; ");
    }
    case "RowsDismissed":
      return `${rowsText(rows)} dismissed by ${nameOf(by)}${step.data.note === "" ? "" : `: ${step.data.note}`}`;
    case "RowsReopened":
      return `${rowsText(rows)} opened again by ${nameOf(by)}`;
  }
}

const whyText = { claimed: "taken already by", dismissed: "dismissed", superseded: "its shipment was written since by" } as const;

export const rowsText = (rows: readonly number[]): string => `${rows.length === 1 ? "row" : "rows"} ${rows.join(", ")}`;

/** The same steps for `--json`. */
export const correctionsJson = (steps: readonly CorrectionStep[]) =>
  steps.map(({ type, data, revision, recordedAt }) => ({ type, revision: Number(revision), recordedAt, ...data }));
