// The parts of a workbook around its rows, as spreadsheet programs expect them.

export interface WorkbookColumn {
  readonly width: number;
  /** Empty cells get the text format too, so that a value that is typed in later stays a text. */
  readonly isText: boolean;
}

/** The indexes of the cell styles in `styles.xml`. */
export const CELL_STYLES = { plain: 0, text: 1, heading: 2, formulaLike: 3, date: 4, dateAndTime: 5 } as const;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const mainNs = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const officeNs = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageNs = "http://schemas.openxmlformats.org/package/2006";
const spreadsheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const contentTypes = `${declaration}<Types xmlns="${packageNs}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheetType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${spreadsheetType}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheetType}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`;

const relations = (...targets: readonly (readonly [type: string, target: string])[]) =>
  `${declaration}<Relationships xmlns="${packageNs}/relationships">${targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${type}" Target="${target}"/>`).join("")}</Relationships>`;

const workbook = (sheetName: string) =>
  `${declaration}<workbook xmlns="${mainNs}" xmlns:r="${officeNs}"><sheets><sheet sheetId="1" name="${xmlText(sheetName)}" r:id="rId1"/></sheets></workbook>`;

/** Format 49 is `@`, text: a value that is typed into such a cell does not become a formula, a date or a number without its zeros. */
const textFormat = 'numFmtId="49" applyNumberFormat="1"';
/** In the order of `CELL_STYLES`. Programs give `quotePrefix` to a text that was typed with an apostrophe in front. */
const cellFormats = [
  'numFmtId="0" fontId="0"',
  `${textFormat} fontId="0"`,
  `${textFormat} fontId="1" applyFont="1"`,
  `${textFormat} fontId="0" quotePrefix="1"`,
  'numFmtId="164" applyNumberFormat="1" fontId="0"',
  'numFmtId="165" applyNumberFormat="1" fontId="0"',
];
const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
const styles = `${declaration}<styleSheet xmlns="${mainNs}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${cellFormats.length}">${cellFormats.map((format) => `<xf ${format} fillId="0" borderId="0" xfId="0"/>`).join("")}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

const coreProperties = (subject: string) =>
  `${declaration}<cp:coreProperties xmlns:cp="${packageNs}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Waybill</dc:creator><dc:subject>${xmlText(subject)}</dc:subject></cp:coreProperties>`;

/** All parts but the sheet, with their names in the archive. */
export const partsBesideSheet = ({ sheetName, subject }: { sheetName: string; subject: string }): [name: string, xml: string][] => [
  ["[Content_Types].xml", contentTypes],
  [
    "_rels/.rels",
    relations(
      [`${officeNs}/officeDocument`, "xl/workbook.xml"],
      [`${packageNs}/relationships/metadata/core-properties`, "docProps/core.xml"],
    ),
  ],
  ["docProps/core.xml", coreProperties(subject)],
  ["xl/workbook.xml", workbook(sheetName)],
  ["xl/_rels/workbook.xml.rels", relations([`${officeNs}/worksheet`, "worksheets/sheet1.xml"], [`${officeNs}/styles`, "styles.xml"])],
  ["xl/styles.xml", styles],
];

/** The XML before the rows. It keeps the first row, the headings, in view. */
export const sheetStart = (columns: readonly WorkbookColumn[]): string =>
  `${declaration}<worksheet xmlns="${mainNs}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${columns.length === 0 ? "" : `<cols>${columns.map(columnXml).join("")}</cols>`}<sheetData>`;

const columnXml = ({ width, isText }: WorkbookColumn, index: number) =>
  `<col min="${index + 1}" max="${index + 1}" width="${width}"${isText ? ` style="${CELL_STYLES.text}"` : ""} customWidth="1"/>`;

export const sheetEnd = "</sheetData></worksheet>";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const xmlText = (value: string): string => value.replaceAll(/[&<>"]/g, (char) => entities[char] ?? char);
