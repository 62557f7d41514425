// The lanes of a rate card: a table with the columns of the file of lanes. Its cells are inputs for people who may change the catalogue.
import { priceInWords } from "../../../../domain/catalogue/fields.js";
import { laneCells, laneColumns, maxBreaks, maxBreaksIn } from "../../../../domain/catalogue/laneCells.js";
import type { RateCard } from "../../../../domain/catalogue/schema.js";
import { maxFields } from "../../fields.js";
import type { Visit } from "../../pageDefinition.js";
import { Chips } from "../../shell/chips.js";
import { Button, Field, Form } from "../../shell/form.js";
import { EmptyState, Panel, pageInMemory, useVisit, withQuery } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import type { CurrentCatalogue } from "../customers.js";
import { entryPath } from "./cataloguePaths.js";
import { formVersion } from "./formFields.js";

/** A row of the table. `place` is the lane's index on the card, or empty for a new lane. */
interface LaneRow {
  readonly place: string;
  readonly cells: readonly string[];
  readonly isChosen: boolean;
}

/** Each row also sends its place and its tick. */
const fieldsBesideCells = 2;
/** Room for the fields beside the rows: token, version, percent, button. */
const fieldsBesideRows = 10;

export function Lanes({ view, card }: { view: CurrentCatalogue; card: RateCard }) {
  const visit = useVisit();
  const { query } = visit;
  const search = (query["zone"] ?? "").trim().slice(0, 100);
  const isSearchedZone = (end: string) => end.toLowerCase() === search.toLowerCase();
  const placedLanes = card.lanes.map((lane, place) => ({ lane, place }));
  const matches = search === "" ? placedLanes : placedLanes.filter(({ lane }) => isSearchedZone(lane.from) || isSearchedZone(lane.to));
  const path = entryPath("rateCards", card.id);
  const mayChange = visit.may("catalogue");
  const fieldsPerRow = laneColumns(Math.min(maxBreaks, maxBreaksIn(card.lanes) + 1)).length + fieldsBesideCells;
  const size = Math.min(50, Math.floor((maxFields - fieldsBesideRows) / fieldsPerRow) - blankRows.length);
  const { rows, pager } = pageInMemory(visit, matches, {
    noun: ["lane", "lanes"],
    path: withQuery(path, { zone: search }),
    name: "lane",
    size,
  });
  const names = laneColumns(Math.min(maxBreaks, maxBreaksIn(rows.map(({ lane }) => lane)) + (mayChange ? 1 : 0)));
  const recordedRows = rows.map(({ lane, place }): LaneRow => ({ place: String(place), cells: laneCells(lane), isChosen: false }));
  const columns = names.map((name, index) => laneColumn(name, index, mayChange));
  const empty = <EmptyState title="No lanes match this zone" />;
  const zones = view.file.zoneMaps.find(({ id }) => id === card.zoneMapId)?.zones ?? [];
  const zoneChip = { name: "zone", label: "Zone at either end", kind: "text", maxlength: 64 } as const;
  return (
    <Panel id="lanes" title="Lanes">
      {card.lanes.length > 10 ? <Chips path={path} chips={[zoneChip]} /> : null}
      {mayChange ? (
        <Form
          to={withQuery(`${path}/lanes`, { zone: search, lane: query["lane"] })}
          id="lane-form"
          hidden={{ version: formVersion(visit, view) }}
        >
          <div class="lane-scroll">
            <Table caption="Lanes" columns={[choiceColumn, ...columns]} rows={sentRows(visit, names) ?? [...recordedRows, ...blankRows]} />
          </div>
          <datalist id="zones">
            {["*", ...new Set(zones.map(({ zone }) => zone))].map((zone) => (
              <option value={zone} />
            ))}
          </datalist>
          <p class="hint">Cells can be pasted from a spreadsheet. New lanes go into the empty rows at the end.</p>
          <p role="status" class="hint" />
          <div class="button-row lane-acts">
            <Button label="Show changes" name="act" value="save" />
            <Button label="Remove ticked lanes" name="act" value="remove" class="quiet danger" />
            <Field label="Change prices by %" name="percent" required={false} maxlength={10} autocomplete="off" />
            <Button label="Change prices" name="act" value="percent" class="quiet" aria-describedby="percent-hint" />
          </div>
          <p class="hint" id="percent-hint">
            Changes the ticked lanes; all {card.lanes.length} if none is ticked. Amounts are rounded to the cent, prices per kg to 4
            decimals.
          </p>
        </Form>
      ) : (
        <Table caption="Lanes" columns={columns} rows={recordedRows} empty={empty} />
      )}
      {pager}
    </Panel>
  );
}

const blankRows = Array.from({ length: 3 }, (): LaneRow => ({ place: "", cells: [], isChosen: false }));

/** The rows as they were sent, if the form is shown again. */
function sentRows({ submitted }: Visit, columns: readonly string[]): readonly LaneRow[] | undefined {
  const places = submitted.all("place");
  if (places.length === 0) return undefined;
  const chosen = new Set(submitted.all("chosen"));
  const cells = columns.map((column) => submitted.all(column));
  return places.map((place, index) => ({ place, cells: cells.map((column) => column[index] ?? ""), isChosen: chosen.has(place) }));
}

const headings: Readonly<Record<string, string>> = {
  from: "From",
  to: "To",
  basic: "Basic",
  perKg: "Per kg",
  minimum: "Minimum",
  transitMin: "Transit from",
  transitMax: "Transit to",
  transitUnit: "H, D, W",
};
const laneNameOf = ({ place, cells }: LaneRow): string => (place === "" ? "new lane" : `${cells[0]} to ${cells[1]}`);

const choiceColumn: Column<LaneRow> = {
  heading: "Choose",
  cell: (row) => (
    <>
      <input type="hidden" name="place" value={row.place} />
      {row.place === "" ? null : (
        <input type="checkbox" name="chosen" value={row.place} checked={row.isChosen} aria-label={`Choose ${laneNameOf(row)}`} />
      )}
    </>
  ),
};

/** A column whose cells are inputs if `mayChange`, and text otherwise. */
function laneColumn(name: string, index: number, mayChange: boolean): Column<LaneRow> {
  const heading = headings[name] ?? name.replace(/^fromKg(\d+)$/, "From kg ($1)").replace(/^perKg(\d+)$/, "Per kg ($1)");
  const isZone = index < 2;
  const isNumber = !isZone && name !== "transitUnit";
  if (mayChange)
    return {
      heading,
      cell: (row) => (
        <input
          {...{ name, value: row.cells[index] ?? "", class: isZone ? "lane-zone" : "lane-number", list: isZone ? "zones" : undefined }}
          {...{ inputmode: isNumber ? ("decimal" as const) : undefined, maxlength: 64, autocomplete: "off" }}
          aria-label={`${heading}, ${laneNameOf(row)}`}
        />
      ),
    };
  const isPrice = /^(basic|minimum|perKg\d*)$/.test(name);
  const textOf = (text = "") => (isPrice && text !== "" ? priceInWords(Number(text)) : text);
  return { heading, isRowHeader: index === 0, number: isNumber, cell: ({ cells }) => textOf(cells[index]) };
}
