import { carriedText, hasBlanksToKeep, looksLikeFormula } from "./cellText.js";
import { STYLES, type WorkbookWriter } from "./workbookWriter.js";

/**
 * Makes rows of texts as exceljs would write them, to the character. exceljs makes a dozen objects for each cell, and these took most of
 * the time that a report needs.
 */
export function textRows({ sheet, styleId }: WorkbookWriter, width: number): (row: number, values: readonly string[]) => string {
  const letters = Array.from({ length: width }, (_, index) => sheet.getColumn(index + 1).letter);
  return (row, values) => {
    let [cells, first, last] = ["", 0, 0];
    for (let index = 0; index < width; index++) {
      const value = values[index] ?? "";
      if (value === "") continue;
      last = index + 1;
      first ||= last;
      const style = styleId(looksLikeFormula(value) ? STYLES.formulaLike : STYLES.text);
      cells += `<c r="${letters[index]}${row}" s="${style}" ${content(carriedText(value))}</c>`;
    }
    return `<row r="${row}" spans="${first}:${last}" x14ac:dyDescent="0.25">${cells}</row>`;
  };
}

function content(carried: string): string {
  const xml = carried.replace(/[<>&'"]/g, (char) => ENTITIES[char] ?? char);
  return hasBlanksToKeep(carried) ? `t="inlineStr"><is><r><t xml:space="preserve">${xml}</t></r></is>` : `t="str"><v>${xml}</v>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&apos;", '"': "&quot;" };
