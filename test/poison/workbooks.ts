import { workbookParts } from "../adapters/spreadsheets/workbook.js";
import { zip } from "../adapters/spreadsheets/zip.js";
import { archives, structure } from "./workbookArchives.js";
import { bombs } from "./workbookBombs.js";
import { cellsAndRows } from "./workbookCells.js";
import { xml } from "./workbookMarkup.js";
import { good } from "./workbookPlans.js";

export const workbooks = [...archives, ...structure, ...xml, ...bombs, ...cellsAndRows];
export const goodWorkbook = (): Buffer => zip(workbookParts(good));
