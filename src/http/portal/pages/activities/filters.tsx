import { type ActivityChoices, mostChoices } from "../../../../queries/activities/activityCodes.js";
import { Choice, Field } from "../../shell/form.js";
import { FilterForm } from "../../shell/panel.js";
import type { NameOfCustomer } from "../customers.js";
import { monthAfter, type Period } from "../days.js";
import { activitiesPath, addressOf, noCustomer, type OfActivities, ofNow, queryOf, wallTime } from "./selection.js";

/** Two forms: a month is chosen more often than days, and choosing one must not need emptying the other. */
export function Filters({ of, choices }: { of: OfActivities; choices: ActivityChoices }) {
  const { visit, selection, nameOf } = of;
  const { period } = selection;
  return (
    <section class="panel activity-filters" aria-label="What is shown">
      {period === undefined ? null : <MonthForm of={of} period={period} />}
      <FilterForm
        visit={visit}
        path={activitiesPath}
        kept={{ ...queryOf(selection), ...noDays, ...noCodes }}
        all={selection.customer || selection.warehouse || selection.charge ? addressOf(of, noCodes) : undefined}
      >
        <Field label="From" name="from" type="date" value={period?.firstDay} required={period !== undefined} placeholder="2026-03-01" />
        <Field label="To" name="to" type="date" value={period?.lastDay} required={period !== undefined} placeholder="2026-03-01" />
        <CodeField
          label="Customer"
          name="customer"
          value={selection.customer}
          options={customerOptions(choices, nameOf)}
          all="All customers"
        />
        <CodeField
          label="Warehouse"
          name="warehouse"
          value={selection.warehouse}
          options={codes(choices.warehouseCodes)}
          all="All warehouses"
        />
        <CodeField label="Charge code" name="charge" value={selection.charge} options={codes(choices.chargeCodes)} all="All charge codes" />
      </FilterForm>
      {selection.view === "rows" ? null : <Times of={of} />}
    </section>
  );
}

function MonthForm({ of, period }: { of: OfActivities; period: Period }) {
  return (
    <FilterForm
      visit={of.visit}
      path={activitiesPath}
      submit="Show month"
      quiet
      kept={{ ...queryOf(of.selection), ...noDays }}
      after={<Months of={of} period={period} />}
    >
      <Field label="Month" name="month" type="month" value={period.month ?? period.firstDay.slice(0, 7)} placeholder="2026-03" />
    </FilterForm>
  );
}

/** The totals of an earlier time, and what has changed them since a time. */
function Times({ of }: { of: OfActivities }) {
  const { visit, selection } = of;
  const { asOf, since } = selection;
  const time = { type: "datetime-local", step: "1", placeholder: "2026-03-01T14:30" } as const;
  const [kept, now] = [{ ...queryOf(selection), ...ofNow }, addressOf(of, ofNow)];
  return (
    <div class="times">
      <FilterForm visit={visit} path={activitiesPath} submit="Show as of" quiet kept={kept} all={asOf && now} allLabel="Show as of now">
        <Field label="As of" name="asOf" value={wallTime(asOf, visit)} {...time} />
      </FilterForm>
      <FilterForm
        visit={visit}
        path={activitiesPath}
        submit="Show changes"
        quiet
        kept={{ ...kept, by: "", pages: "" }}
        all={since && now}
        allLabel="Show totals"
      >
        <Field label="Changes since" name="since" value={wallTime(since, visit)} {...time} />
      </FilterForm>
    </div>
  );
}

const noDays = { month: "", from: "", to: "" };
const noCodes = { customer: "", warehouse: "", charge: "" };

function Months({ of, period }: { of: OfActivities; period: Period }) {
  const { month, firstDay } = period;
  const address = (months: number) => addressOf(of, { ...noDays, month: monthAfter(month ?? firstDay.slice(0, 7), months) });
  return (
    <nav class="months" aria-label="Months">
      <a href={address(-1)}>Previous month</a>
      <a href={address(1)}>Next month</a>
    </nav>
  );
}

type Option = { value: string; label: string };

const codes = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }));

function customerOptions({ customerIds, withoutCustomer }: ActivityChoices, nameOf: NameOfCustomer): Option[] {
  const named = customerIds.map((id) => ({ value: id, label: nameOf(id) === undefined ? id : `${nameOf(id)} (${id})` }));
  return [...named, ...(withoutCustomer ? [{ value: noCustomer, label: "Without a customer" }] : [])];
}

type CodeFieldProps = Option & { name: string; options: readonly Option[]; all: string };

/** A list to choose from, or a field to write into where the list would be too long. */
function CodeField({ label, name, value, options, all }: CodeFieldProps) {
  if (options.length > mostChoices)
    return <Field label={label} name={name} value={value} required={false} autocomplete="off" maxlength={200} />;
  const known = value === "" || options.some((option) => option.value === value);
  const offered = known ? options : [...options, { value, label: value }];
  return <Choice label={label} name={name} value={value} options={[{ value: "", label: all }, ...offered]} />;
}
