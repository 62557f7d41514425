import { type ZipPart, zip } from "./zip.js";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export type WorkbookPlan = {
  /** The content of `<sheetData>`. */
  rows?: string;
  /** The whole sheet part, in place of `rows`. */
  sheet?: string | Uint8Array;
  /** `<si>` elements. */
  strings?: string;
  /** Format codes of styles 1, 2, ... */
  formats?: readonly string[];
  /** `<sheet>` elements, for a workbook that needs others than the one sheet `rId1`. */
  sheets?: string;
  workbookPr?: string;
  extra?: readonly ZipPart[];
  /** Changes the parts before they are packed. */
  edit?: (parts: ZipPart[]) => ZipPart[];
};

export const sheetXml = (rows: string) => `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;

export const stringsXml = (items: string) => `${DECLARATION}<sst xmlns="${MAIN}">${items}</sst>`;

/** Row 1 as inline texts. */
export const headerXml = (...names: string[]) =>
  `<row r="1">${names.map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join("")}</row>`;

export function workbookParts(plan: WorkbookPlan): ZipPart[] {
  const relation = (id: string, kind: string, target: string) => `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`;
  const relations = (inner: string) => `${DECLARATION}<Relationships xmlns="${PACKAGE}">${inner}</Relationships>`;
  const parts: ZipPart[] = [
    { name: "[Content_Types].xml", content: `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>` },
    { name: "_rels/.rels", content: relations(relation("rId1", "officeDocument", "xl/workbook.xml")) },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: relations(
        relation("rId1", "worksheet", "worksheets/sheet1.xml") +
          relation("rId2", "worksheet", "worksheets/sheet2.xml") +
          relation("rId3", "sharedStrings", "sharedStrings.xml") +
          relation("rId4", "styles", "styles.xml"),
      ),
    },
    { name: "xl/worksheets/sheet1.xml", content: plan.sheet ?? sheetXml(plan.rows ?? "") },
    {
      name: "xl/workbook.xml",
      content: `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${plan.workbookPr ?? ""}<sheets>${plan.sheets ?? '<sheet name="Rows" sheetId="1" r:id="rId1"/>'}</sheets></workbook>`,
    },
    ...(plan.extra ?? []),
  ];
  if (plan.strings !== undefined) parts.push({ name: "xl/sharedStrings.xml", content: stringsXml(plan.strings) });
  if (plan.formats) parts.push({ name: "xl/styles.xml", content: stylesXml(plan.formats) });
  return plan.edit ? plan.edit(parts) : parts;
}

export const workbook = (plan: WorkbookPlan): Buffer => zip(workbookParts(plan));

function stylesXml(formats: readonly string[]): string {
  const escaped = (code: string) => code.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const codes = formats.map((code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${escaped(code)}"/>`).join("");
  const cells = formats.map((_, index) => `<xf numFmtId="${200 + index}"/>`).join("");
  return `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts>${codes}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${cells}</cellXfs></styleSheet>`;
}
