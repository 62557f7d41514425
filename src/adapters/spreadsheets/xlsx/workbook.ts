import { posix } from "node:path";
import { FileFault } from "../cell.js";
import { type Archive, damagedFault } from "./archive.js";
import { attributeOf, parseXml } from "./xml.js";

export type Workbook = Awaited<ReturnType<typeof readWorkbook>>;

type Relation = { readonly kind: string; readonly target: string };

/** Finds the first visible sheet through the workbook and its relations, since parts may have any name and come in any order. */
export async function readWorkbook(archive: Archive) {
  const main = await mainPart(archive);
  const relations = await readRelations(archive, main);
  let date1904 = false; // dates are counted from 1904, as on old Macs
  const sheets: { name: string; part: string }[] = [];
  let hasHiddenSheet = false;
  parseXml(await archive.wholeText(main), (name, attributes) => {
    if (name === "workbookPr") date1904 = isTrue(attributes["date1904"]);
    if (name !== "sheet") return;
    const relation = relations.get(attributeOf(attributes, "id") ?? "");
    if (relation?.kind !== "worksheet") return; // such as a chart sheet
    if ((attributes["state"] ?? "visible") === "visible") sheets.push({ name: attributes["name"] ?? "", part: relation.target });
    else hasHiddenSheet = true;
  });
  const [first, ...otherSheets] = sheets;
  if (!first) throw new FileFault(`The workbook has no ${hasHiddenSheet ? "visible " : ""}sheet. Put the rows on its first visible sheet.`);
  if (!archive.has(first.part)) throw damagedFault("its sheet is missing");
  const partOfKind = (kind: string) =>
    [...relations.values()].find((relation) => relation.kind === kind && archive.has(relation.target))?.target ?? null;
  const [sharedStrings, styles] = [partOfKind("sharedStrings"), partOfKind("styles")];
  return { sheet: first.part, sheetName: first.name, otherSheets, sharedStrings, styles, date1904 };
}

async function mainPart(archive: Archive): Promise<string> {
  const relations = archive.has("_rels/.rels") ? await readRelations(archive, "") : new Map<string, Relation>();
  const main = [...relations.values()].find(({ kind }) => kind === "officeDocument")?.target ?? "xl/workbook.xml";
  if (!archive.has(main) || !/\.xml$/i.test(main) || /^(word|ppt|visio)\//i.test(main)) throw new FileFault(notAWorkbook(archive));
  return main;
}

function notAWorkbook({ names }: Archive): string {
  const has = (start: string) => names.some((name) => name.startsWith(start));
  if (has("xl/workbook.bin")) return "The file is a binary workbook (.xlsb), which is not supported. Re-save it as .csv or .xlsx.";
  if (has("mimetype") || has("content.xml"))
    return "The file is an OpenDocument file (.ods), which is not supported. Re-save it as .csv or .xlsx.";
  if (has("index/") || has("index.zip")) return "The file is a Numbers document, which is not supported. Export it as .csv or .xlsx.";
  if (has("word/")) return "The file is a Word document, not a spreadsheet. Upload a .csv or .xlsx file.";
  if (has("ppt/")) return "The file is a presentation, not a spreadsheet. Upload a .csv or .xlsx file.";
  return "The file is a zip archive, not a workbook. Unpack it and upload the .csv or .xlsx file itself.";
}

async function readRelations(archive: Archive, part: string): Promise<Map<string, Relation>> {
  const folder = posix.dirname(part === "" ? "." : part);
  const name = part === "" ? "_rels/.rels" : posix.join(folder, "_rels", `${posix.basename(part)}.rels`);
  const relations = new Map<string, Relation>();
  if (!archive.has(name)) return relations;
  parseXml(await archive.wholeText(name), (element, attributes) => {
    if (element !== "Relationship" || attributes["TargetMode"] === "External") return;
    const target = attributes["Target"] ?? "";
    const resolved = target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
    relations.set(attributes["Id"] ?? "", {
      kind: posix.basename(attributes["Type"] ?? ""),
      target: resolved.replaceAll("\\", "/"),
    });
  });
  return relations;
}

const isTrue = (value: string | undefined): boolean => value === "1" || value === "true" || value === "on";
