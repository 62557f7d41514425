import { type ActivityChoices, mostChoices } from "../../../../queries/activities/activityCodes.js";
import { type Chip, type ChipOption, Chips } from "../../shell/chips.js";
import type { NameOfCustomer } from "../customers.js";
import { monthAfter, type Period } from "../days.js";
import { type ActivitiesView, activitiesAddress, activitiesPath, noCustomer, queryOf, wallTime } from "./selection.js";

/** The month and the time as of which it is shown are one control; beside it days, customer and codes. */
export function Filters({ of, choices }: { of: ActivitiesView; choices: ActivityChoices }) {
  const { visit, selection, nameOf } = of;
  const { period, asOf, since, view, importId } = selection;
  const month = period?.month;
  const days = month === undefined ? period : undefined;
  const times: readonly Chip[] = [
    { name: "asOf", label: "As of", kind: "time", group: "when", value: wallTime(asOf, visit) ?? "", clears: ["since"] },
    ...(view === "rows" ? [] : [sinceChip(wallTime(since, visit))]),
  ];
  const chips: readonly Chip[] = [
    ...(period === undefined ? [] : [monthChip(of, period)]),
    ...(importId === "" ? times : []),
    codeChip("customer", "Customer", "All", customerOptions(choices, nameOf), selection.customer),
    codeChip("warehouse", "Warehouse", "All", codes(choices.warehouseCodes), selection.warehouse),
    codeChip("charge", "Charge code", "All", codes(choices.chargeCodes), selection.charge),
    { name: "from", label: "From", kind: "day", value: days?.firstDay ?? "", clears: ["month"] },
    { name: "to", label: "To", kind: "day", value: days?.lastDay ?? "", clears: ["month"] },
  ];
  const { view: kept, by, pages, import: only } = queryOf(selection);
  const ofImport: readonly Chip[] =
    importId === "" ? [] : [{ name: "unusual", label: "Unusual", kind: "yes", value: selection.unusual ? "yes" : "" }];
  return <Chips visit={visit} path={activitiesPath} chips={[...ofImport, ...chips]} kept={{ view: kept, by, pages, import: only }} />;
}

const sinceChip = (value = ""): Chip => ({ name: "since", label: "Changes since", kind: "time", group: "when", value, clears: ["asOf"] });

const monthChip = (of: ActivitiesView, period: Period): Chip => ({
  ...({ name: "month", label: "Month", kind: "month", group: "when", required: true } as const),
  value: period.month ?? "",
  clears: ["from", "to"],
  after: <Months of={of} period={period} />,
});

const noDays = { month: "", from: "", to: "" };

function Months({ of, period: { month, firstDay } }: { of: ActivitiesView; period: Period }) {
  const address = (months: number) => activitiesAddress(of, { ...noDays, month: monthAfter(month ?? firstDay.slice(0, 7), months) });
  return (
    <span class="months">
      <a href={address(-1)} aria-label="Previous month">
        &lsaquo;
      </a>
      <a href={address(1)} aria-label="Next month">
        &rsaquo;
      </a>
    </span>
  );
}

const codes = (values: readonly string[]): ChipOption[] => values.map((value) => ({ value, label: value }));

function customerOptions({ customerIds, withoutCustomer }: ActivityChoices, nameOf: NameOfCustomer): ChipOption[] {
  const named = customerIds.map((id) => ({ value: id, label: nameOf(id) === undefined ? id : `${nameOf(id)} (${id})` }));
  return [...named, ...(withoutCustomer ? [{ value: noCustomer, label: "Without a customer" }] : [])];
}

/** A list to choose from, or a field to write into where the list would be too long. */
const codeChip = (name: string, label: string, all: string, options: readonly ChipOption[], value: string): Chip =>
  options.length > mostChoices
    ? { name, label, kind: "text", maxlength: 200, value }
    : { name, label, kind: "choice", all, options, value };
