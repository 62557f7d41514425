// What is sent from the page of a rate card: edited lanes, a change of prices, a new card, and a file of lanes.
import { importLanes, lanesAsTable, laneTexts } from "../../../../commands/organisations/lanesFile.js";
import { addCardFrom, changeLane, readPercent } from "../../../../domain/catalogue/cardChanges.js";
import { laneCells, laneColumns, mostBreaks, readLanes } from "../../../../domain/catalogue/laneTable.js";
import type { Lane, OrganisationFile, RateCard } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { firstMessages } from "../../../../domain/validation.js";
import type { Fields } from "../../fields.js";
import { withQuery } from "../../links.js";
import type { AnswerDefinition, FormDefinition, SignedInVisit } from "../../pageDefinition.js";
import { Field } from "../../shell/form.js";
import { downloadTable, once, type TableFormat, tableFormats } from "../../tableDownloads.js";
import { presentCatalogue } from "../customers.js";
import { entryPath, entryRoute, requireEntry } from "./addresses.js";
import { catalogueForm, type Edit, editForm } from "./draft.js";
import { FormBody, replaced } from "./entryForms.js";
import { entryPages } from "./entryPage.js";
import { fileForm } from "./uploadPage.js";

const cardRoute = entryRoute("rateCards");

const edited = (file: OrganisationFile, card: RateCard, lanes: readonly Lane[], goTo: string): Edit => ({
  file: replaced(file, "rateCards", card, [{ ...card, lanes: [...lanes] }]),
  goTo,
  about: `rate card ${card.id}`,
  own: `rateCards.${file.rateCards.indexOf(card)}`,
});

/** The card's lanes with what was typed into the table; rows that were emptied are left out. */
function typedLanes(card: RateCard, fields: Fields): { lanes: readonly Lane[]; chosen: ReadonlySet<Lane> } {
  const sent = laneColumns(mostBreaks)
    .map((column) => ({ column, values: fields.all(column) }))
    .filter(({ values }) => values.length > 0);
  const columns = sent.map(({ column }) => column);
  const all: (Lane | undefined)[] = [...card.lanes];
  const places = fields.all("place").map((place, index) => ({
    lane: /^\d{1,5}$/.test(place) ? card.lanes[Number(place)] : undefined,
    place: /^\d{1,5}$/.test(place) ? Number(place) : undefined,
    cells: sent.map(({ values }) => values[index] ?? ""),
  }));
  const changed = places.filter(({ lane, cells }) => !lane || cells.some((cell, index) => cell.trim() !== (laneCells(lane)[index] ?? "")));
  const read =
    changed.length === 0
      ? { lanes: [], faults: [] }
      : readLanes(
          columns,
          changed.map(({ lane, cells }) => ({ where: lane ? `Lane ${lane.from} to ${lane.to}` : "New lane", cells })),
        );
  if (read.faults.length > 0) throw new Rejection("invalid", read.faults[0] ?? "", firstMessages(read.faults));
  changed.forEach(({ place }, index) => {
    if (place === undefined) all.push(read.lanes[index]);
    else all[place] = read.lanes[index];
  });
  const chosen = new Set(fields.all("chosen").flatMap((place) => all[Number(place)] ?? []));
  return { lanes: all.filter((lane) => lane !== undefined), chosen };
}

export const lanesForm: FormDefinition<SignedInVisit> = editForm(`${cardRoute}/lanes`, entryPages.rateCards, (fields, file, visit) => {
  const card = requireEntry(visit, file, "rateCards");
  const { lanes, chosen } = typedLanes(card, fields);
  const goTo = withQuery(entryPath("rateCards", card.id), { zone: visit.query["zone"], lane: visit.query["lane"] });
  const act = fields.get("act");
  if (act === "remove" && chosen.size === 0) throw new Rejection("invalid", "Tick the lanes to remove first");
  if (act === "remove")
    return edited(
      file,
      card,
      [...lanes].filter((lane) => !chosen.has(lane)),
      goTo,
    );
  if (act !== "percent") return edited(file, card, lanes, goTo);
  const percent = readPercent(fields.get("percent"));
  const isPriced = (lane: Lane) => chosen.size === 0 || chosen.has(lane);
  return edited(
    file,
    card,
    [...lanes].map((lane) => (isPriced(lane) ? changeLane(lane, percent) : lane)),
    goTo,
  );
});

const copy = catalogueForm({
  path: `${cardRoute}/copy`,
  title: ({ visit, file }) => `New card from ${requireEntry(visit, file, "rateCards").name}`,
  body: (view) => {
    const { visit, file, typed } = view;
    const card = requireEntry(visit, file, "rateCards");
    const path = entryPath("rateCards", card.id);
    const hint = `${card.name} ends the day before. Customers who have it get the new card too.`;
    return (
      <FormBody {...{ view, to: `${path}/copy`, back: path }} title="New rate card">
        <Field label="Id" name="id" value={typed?.get("id")} maxlength={64} autocomplete="off" />
        <Field label="Name" name="name" value={typed?.get("name") ?? card.name} maxlength={200} autocomplete="off" />
        <Field label="First day" name="firstDay" type="date" value={typed?.get("firstDay")} hint={hint} />
        <Field
          label="Change prices by %"
          name="percent"
          value={typed?.get("percent")}
          required={false}
          hint="Leave empty to keep the prices."
          autocomplete="off"
        />
      </FormBody>
    );
  },
  edit: (fields, file, visit) => {
    const [id, percent] = [fields.get("id").trim(), fields.get("percent").trim()];
    const of = { id, name: fields.get("name"), firstDay: fields.get("firstDay").trim() };
    const card = requireEntry(visit, file, "rateCards");
    return {
      file: addCardFrom(file, card, { ...of, percent: percent === "" ? undefined : readPercent(percent) }),
      goTo: entryPath("rateCards", id),
      about: `rate card ${id}`,
      own: `rateCards.${file.rateCards.indexOf(card) + 1}`,
    };
  },
});

const upload = fileForm({
  path: `${cardRoute}/lanes/upload`,
  title: "Upload lanes",
  accept: ".csv,.xlsx",
  about: (visit, file) => {
    const card = requireEntry(visit, file, "rateCards");
    const back = entryPath("rateCards", card.id);
    const hint = `A CSV or XLSX file with all lanes of ${card.name}, in the columns of Download lanes. You see what changes before you apply it. Lanes that are not in the file are removed.`;
    return { hint, to: `${back}/lanes/upload`, back };
  },
  edit: async (received, file, visit, { spreadsheets }) => {
    const { id } = requireEntry(visit, file, "rateCards");
    return { file: await importLanes(spreadsheets, received, file, id), goTo: entryPath("rateCards", id), about: `rate card ${id}` };
  },
});

const download = (format: TableFormat): AnswerDefinition<SignedInVisit> => ({
  method: "GET",
  path: `${cardRoute}/lanes.${format}`,
  access: "look",
  answer: async (visit, deps) => {
    const { catalogue } = await presentCatalogue(visit, deps);
    const { id, lanes } = requireEntry(visit, catalogue.file, "rateCards");
    const { columns, rows } = lanesAsTable(lanes);
    const table = () => ({ columns, rows: once(rows), texts: laneTexts });
    return downloadTable(visit, deps, { name: `${id}-lanes`, sheet: "Lanes", format, table });
  },
});

export const lanePages = [copy.page, upload.page];
export const laneForms = [lanesForm, copy.form, upload.form];
export const laneDownloads = (Object.keys(tableFormats) as TableFormat[]).map(download);
