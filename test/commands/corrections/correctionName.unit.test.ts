import { expect, test } from "vitest";
import { correctionName } from "../../../src/commands/corrections/requestCorrection.js";
import { limits } from "../../../src/domain/imports/limits.js";

test.each([
  ["monday-activities.csv", "Correction of monday-activities.csv"],
  ["Correction of monday-activities.csv", "Correction of monday-activities.csv"],
  ["Correction of Correction of x", "Correction of x"],
  ["  ", "Correction of an import without a reference"],
])("the correction of %j is named %j", (corrected, name) => {
  expect(correctionName(corrected)).toBe(name);
});

test.each([-1, 0, 1])("a name that is %i characters longer than a reference may be is cut between characters", (more) => {
  const room = limits.sourceDetailsLength - "Correction of ".length;
  const name = correctionName("\u{1F69A}".repeat(room + more));
  expect([...name]).toHaveLength(Math.min(limits.sourceDetailsLength, limits.sourceDetailsLength + more));
  expect(name.endsWith("\u{1F69A}")).toBe(true);
});
