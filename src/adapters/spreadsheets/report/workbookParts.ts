const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Every cell is text (format 49, `@`), so that nothing typed over it turns into a formula, a date or a number without its zeros. */
export const STYLES = { text: 1, heading: 2, formulaLike: 3 } as const;

export const SHEET_PART = "xl/worksheets/sheet1.xml";

export const OTHER_PARTS: readonly (readonly [name: string, xml: string])[] = [
  [
    "[Content_Types].xml",
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/>` +
      `<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`,
  ],
  ["_rels/.rels", relations([["officeDocument", "xl/workbook.xml"]])],
  [
    "xl/workbook.xml",
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Rejected rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    "xl/_rels/workbook.xml.rels",
    relations([
      ["worksheet", "worksheets/sheet1.xml"],
      ["styles", "styles.xml"],
    ]),
  ],
  [
    "xl/styles.xml",
    `${DECLARATION}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${xf(0, "")}${xf(1, "")}${xf(0, ' quotePrefix="1"')}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ],
];

/** Everything of the sheet above its rows: the heading row stays in sight, and empty cells are text too. */
export function sheetStart(columns: number): string {
  return (
    `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
    `<cols><col min="1" max="1" width="12" style="${STYLES.text}" customWidth="1"/><col min="2" max="2" width="48" style="${STYLES.text}" customWidth="1"/>` +
    `${columns > 2 ? `<col min="3" max="${columns}" width="18" style="${STYLES.text}" customWidth="1"/>` : ""}</cols><sheetData>`
  );
}

export const SHEET_END = "</sheetData></worksheet>";

function xf(font: number, more: string): string {
  return `<xf numFmtId="49" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"${more}/>`;
}

function relations(targets: readonly (readonly [kind: string, target: string])[]): string {
  const each = targets.map(([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`);
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${each.join("")}</Relationships>`;
}
