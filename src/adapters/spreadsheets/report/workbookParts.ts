// The parts of a workbook around its rows, as spreadsheet programs expect them.

export interface WorkbookColumn {
  readonly width: number;
  /** Empty cells have the text format too: what is typed in later stays a text. */
  readonly isText: boolean;
}

/** The cell styles, by their place in `styles.xml`. */
export const CELL_STYLES = { plain: 0, text: 1, heading: 2, formulaLike: 3, date: 4, dateAndTime: 5 } as const;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const openPackage = "http://schemas.openxmlformats.org/package/2006";
const application = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const types = `${declaration}<Types xmlns="${openPackage}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${application}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${application}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${application}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`;

const relations = (...targets: readonly (readonly [type: string, target: string])[]) =>
  `${declaration}<Relationships xmlns="${openPackage}/relationships">${targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`).join("")}</Relationships>`;

const workbook = (sheetName: string) =>
  `${declaration}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet sheetId="1" name="${xmlText(sheetName)}" r:id="rId1"/></sheets></workbook>`;

/** `@` is the text format: a value that is typed over such a cell does not become a formula, a date or a number without its zeros. */
const text = 'numFmtId="49" applyNumberFormat="1"';
/** In the order of `CELL_STYLES`. Spreadsheet programs set `quotePrefix`, as in the fourth, for a text typed with an apostrophe before it. */
const looks = [
  'numFmtId="0" fontId="0"',
  `${text} fontId="0"`,
  `${text} fontId="1" applyFont="1"`,
  `${text} fontId="0" quotePrefix="1"`,
  'numFmtId="164" applyNumberFormat="1" fontId="0"',
  'numFmtId="165" applyNumberFormat="1" fontId="0"',
];
const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${looks.length}">${looks.map((look) => `<xf ${look} fillId="0" borderId="0" xfId="0"/>`).join("")}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

const properties = (subject: string) =>
  `${declaration}<cp:coreProperties xmlns:cp="${openPackage}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Waybill</dc:creator><dc:subject>${xmlText(subject)}</dc:subject></cp:coreProperties>`;

/** All but the sheet, by their names in the archive. */
export const partsOf = ({ sheetName, subject }: { sheetName: string; subject: string }): [name: string, xml: string][] => [
  ["[Content_Types].xml", types],
  [
    "_rels/.rels",
    relations(
      [`${office}/officeDocument`, "xl/workbook.xml"],
      [`${openPackage}/relationships/metadata/core-properties`, "docProps/core.xml"],
    ),
  ],
  ["docProps/core.xml", properties(subject)],
  ["xl/workbook.xml", workbook(sheetName)],
  ["xl/_rels/workbook.xml.rels", relations([`${office}/worksheet`, "worksheets/sheet1.xml"], [`${office}/styles`, "styles.xml"])],
  ["xl/styles.xml", styles],
];

/** The heading row stays in view. */
export const sheetStart = (columns: readonly WorkbookColumn[]): string =>
  `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${columns.length === 0 ? "" : `<cols>${columns.map(columnXml).join("")}</cols>`}<sheetData>`;

const columnXml = ({ width, isText }: WorkbookColumn, index: number) =>
  `<col min="${index + 1}" max="${index + 1}" width="${width}"${isText ? ` style="${CELL_STYLES.text}"` : ""} customWidth="1"/>`;

export const sheetEnd = "</sheetData></worksheet>";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const xmlText = (value: string): string => value.replaceAll(/[&<>"]/g, (char) => entities[char] ?? char);
