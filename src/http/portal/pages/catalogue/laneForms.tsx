// The forms of a rate card: its edited lanes, a change of prices, a successor card, and a file of lanes.
import { lanesAsTable, laneTextColumns, replaceLanes } from "../../../../commands/organisations/lanesFile.js";
import { addSuccessorCard, changeLanePrices, readPercent } from "../../../../domain/catalogue/cardChanges.js";
import { laneCells, laneColumns, maxBreaks, readLanes } from "../../../../domain/catalogue/laneCells.js";
import type { Lane, OrganisationFile, RateCard } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { firstMessages } from "../../../../domain/validation.js";
import { downloadTable, inOneBatch, type TableFormat, tableFormats } from "../../downloads.js";
import type { Fields } from "../../fields.js";
import { defineAnswer, type SignedInVisit, type Subject } from "../../pageDefinition.js";
import { Field } from "../../shell/form.js";
import { withQuery } from "../../shell/markup.js";
import { currentCatalogue } from "../customers.js";
import { entryPath, entryRoute, requireEntry } from "./cataloguePaths.js";
import { replaceAt } from "./entryForms.js";
import { entryPages } from "./entryPage.js";
import { fileForm } from "./fileForm.js";
import { FormBody } from "./formFields.js";
import { catalogueForm, editForm } from "./waitingChange.js";

const cardRoute = entryRoute("rateCards");

function cardIn(visit: SignedInVisit, file: OrganisationFile) {
  const card = requireEntry(visit, file, "rateCards");
  return { card, path: entryPath("rateCards", card.id), cardIndex: file.rateCards.indexOf(card) };
}

/** The card's lanes with the person's edits; a lane whose cells were emptied is gone. `ticked`: those of the lanes whose box is ticked. */
function enteredLanes(card: RateCard, fields: Fields): { lanes: readonly Lane[]; ticked: ReadonlySet<Lane> } {
  const sent = laneColumns(maxBreaks)
    .map((column) => ({ column, values: fields.all(column) }))
    .filter(({ values }) => values.length > 0);
  const rows = fields.all("place").map((text, index) => {
    const place = /^\d{1,5}$/.test(text) ? Number(text) : undefined;
    return { place, lane: place === undefined ? undefined : card.lanes[place], cells: sent.map(({ values }) => values[index] ?? "") };
  });
  const changed = rows.filter(({ lane, cells }) => !lane || cells.some((cell, index) => cell.trim() !== (laneCells(lane)[index] ?? "")));
  const editedRows = changed.map(({ lane, cells }) => ({ where: lane ? `Lane ${lane.from} to ${lane.to}` : "New lane", cells }));
  const columns = sent.map(({ column }) => column);
  const parsed = changed.length === 0 ? { lanes: [], faults: [] } : readLanes(columns, editedRows);
  if (parsed.faults.length > 0) throw new Rejection("invalid", parsed.faults[0] ?? "", firstMessages(parsed.faults));
  const editedLanes: (Lane | undefined)[] = [...card.lanes];
  changed.forEach(({ place = editedLanes.length }, index) => {
    editedLanes[place] = parsed.lanes[index];
  });
  return {
    lanes: editedLanes.filter((lane) => lane !== undefined),
    ticked: new Set(fields.all("chosen").flatMap((place) => editedLanes[Number(place)] ?? [])),
  };
}

/** Applies the action of the pressed button: `remove`, `percent`, or `save` for only the edits. */
function lanesAfter(act: string, { lanes, ticked }: ReturnType<typeof enteredLanes>, fields: Fields): readonly Lane[] {
  if (act === "remove") {
    if (ticked.size === 0) throw new Rejection("invalid", "Tick the lanes to remove first");
    return lanes.filter((lane) => !ticked.has(lane));
  }
  if (act !== "percent") return lanes;
  const percent = readPercent(fields.get("percent"));
  return lanes.map((lane) => (ticked.size === 0 || ticked.has(lane) ? changeLanePrices(lane, percent) : lane));
}

const percentFault = /^Write a percentage/;

const lanesForm = editForm(
  entryPages.rateCards,
  "/lanes",
  (fields, file, visit) => {
    const { card, path, cardIndex } = cardIn(visit, file);
    const lanes = lanesAfter(fields.get("act"), enteredLanes(card, fields), fields);
    return {
      file: replaceAt(file, ["rateCards", cardIndex, "lanes"], lanes),
      goTo: withQuery(path, { zone: visit.query["zone"], lane: visit.query["lane"] }),
      about: `rate card ${card.id}`,
      editedPath: `rateCards.${cardIndex}`,
    };
  },
  { percent: percentFault },
);

const copyForm = catalogueForm({
  path: `${cardRoute}/copy`,
  faults: { id: /^There is a rate card|^Id /, name: /^Name /, firstDay: /^First day/, percent: percentFault },
  title: (visit, file) => `New card from ${cardIn(visit, file).card.name}`,
  body: (visit, view) => {
    const { card, path } = cardIn(visit, view.file);
    const hint = `${card.name} ends the day before. Customers who have it get the new card too.`;
    return (
      <FormBody view={view} back={path} title="New rate card">
        <Field label="Id" name="id" maxlength={64} autocomplete="off" />
        <Field label="Name" name="name" value={card.name} maxlength={200} autocomplete="off" />
        <Field label="First day" name="firstDay" type="date" hint={hint} />
        <Field label="Change prices by %" name="percent" hint="Leave empty to keep the prices." required={false} autocomplete="off" />
      </FormBody>
    );
  },
  edit: (fields, file, visit) => {
    const { card, cardIndex } = cardIn(visit, file);
    const [id, percent] = [fields.get("id").trim(), fields.get("percent").trim()];
    const newCard = { id, name: fields.get("name"), firstDay: fields.get("firstDay").trim() };
    return {
      file: addSuccessorCard(file, card, { ...newCard, percent: percent === "" ? undefined : readPercent(percent) }),
      goTo: entryPath("rateCards", id),
      about: `rate card ${id}`,
      editedPath: `rateCards.${cardIndex + 1}`,
    };
  },
});

const lanesUpload = fileForm({
  path: `${cardRoute}/lanes/upload`,
  title: "Upload lanes",
  accept: ".csv,.xlsx",
  command: "org lanes import",
  subjectIn: (visit, current) => {
    const { card, path } = cardIn(visit, current);
    const hint = `A CSV or XLSX file with all lanes of ${card.name}, in the columns of Download lanes. You see what changes before you apply it. Lanes that are not in the file are removed.`;
    return { hint, back: path };
  },
  edit: async (upload, current, visit, { spreadsheets }) => {
    const { card, path } = cardIn(visit, current);
    return { file: await replaceLanes(spreadsheets, upload, current, card.id), goTo: path, about: `rate card ${card.id}` };
  },
});

const lanesDownload = (format: TableFormat) =>
  defineAnswer(`${cardRoute}/lanes.${format}`, "look", async (visit, deps) => {
    const { card } = cardIn(visit, (await currentCatalogue(visit, deps)).catalogue.file);
    const { columns, rows } = lanesAsTable(card.lanes);
    const table = () => ({ columns, rows: inOneBatch(rows), textColumns: laneTextColumns });
    return downloadTable(visit, deps, { name: `${card.id}-lanes`, sheet: "Lanes", format, table });
  });

export const lanes: Subject = {
  pages: [copyForm.page, ...lanesUpload.pages],
  forms: [lanesForm, copyForm.form, ...lanesUpload.forms],
  answers: (Object.keys(tableFormats) as TableFormat[]).map(lanesDownload),
};
