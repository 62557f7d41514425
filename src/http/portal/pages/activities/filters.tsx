import { type ActivityChoices, mostChoices } from "../../../../queries/activities/activityCodes.js";
import { Choice, Field } from "../../shell/form.js";
import { FilterForm } from "../../shell/list.js";
import type { SignedInVisit } from "../../visit.js";
import { type Asked, activitiesPath, addressOf, noCustomer, queryOf } from "./asked.js";
import type { NameOfCustomer } from "./names.js";
import { monthAfter } from "./period.js";

interface FiltersProps {
  readonly visit: SignedInVisit;
  readonly asked: Asked;
  readonly choices: ActivityChoices;
  readonly nameOf: NameOfCustomer;
}

/** Two forms: a month is chosen more often than days, and choosing one must not need emptying the other. */
export function Filters({ visit, asked, choices, nameOf }: FiltersProps) {
  const { period } = asked;
  return (
    <section class="panel activity-filters" aria-label="What is shown">
      <FilterForm
        visit={visit}
        path={activitiesPath}
        submit="Show month"
        quiet
        kept={{ ...queryOf(asked), ...noDays }}
        after={<Months visit={visit} asked={asked} />}
      >
        <Field label="Month" name="month" type="month" value={period.month ?? period.firstDay.slice(0, 7)} placeholder="2026-03" />
      </FilterForm>
      <FilterForm
        visit={visit}
        path={activitiesPath}
        kept={{ ...queryOf(asked), ...noDays, ...noCodes }}
        all={asked.customer || asked.warehouse || asked.charge ? addressOf(visit, asked, noCodes) : undefined}
      >
        <Field label="From" name="from" type="date" value={period.firstDay} placeholder="2026-03-01" />
        <Field label="To" name="to" type="date" value={period.lastDay} placeholder="2026-03-01" />
        <CodeField label="Customer" name="customer" value={asked.customer} options={customerOptions(choices, nameOf)} all="All customers" />
        <CodeField
          label="Warehouse"
          name="warehouse"
          value={asked.warehouse}
          options={codes(choices.warehouseCodes)}
          all="All warehouses"
        />
        <CodeField label="Charge code" name="charge" value={asked.charge} options={codes(choices.chargeCodes)} all="All charge codes" />
      </FilterForm>
    </section>
  );
}

const noDays = { month: "", from: "", to: "" };
const noCodes = { customer: "", warehouse: "", charge: "" };

function Months({ visit, asked }: { readonly visit: SignedInVisit; readonly asked: Asked }) {
  const month = asked.period.month ?? asked.period.firstDay.slice(0, 7);
  const address = (other: string) => addressOf(visit, asked, { month: other, from: "", to: "" });
  return (
    <nav class="months" aria-label="Months">
      <a href={address(monthAfter(month, -1))}>Previous month</a>
      <a href={address(monthAfter(month, 1))}>Next month</a>
    </nav>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const codes = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }));

function customerOptions({ customerIds, withoutCustomer }: ActivityChoices, nameOf: NameOfCustomer): Option[] {
  const named = customerIds.map((id) => ({ value: id, label: nameOf(id) === undefined ? id : `${nameOf(id)} (${id})` }));
  return [...named, ...(withoutCustomer ? [{ value: noCustomer, label: "Without a customer" }] : [])];
}

interface CodeFieldProps extends Option {
  readonly name: string;
  readonly options: readonly Option[];
  readonly all: string;
}

/** A list to choose from, or a field to write into where the list would be too long. */
function CodeField({ label, name, value, options, all }: CodeFieldProps) {
  if (options.length > mostChoices)
    return <Field label={label} name={name} value={value} required={false} autocomplete="off" maxlength={200} />;
  const known = value === "" || options.some((option) => option.value === value);
  const offered = known ? options : [...options, { value, label: value }];
  return <Choice label={label} name={name} value={value} options={[{ value: "", label: all }, ...offered]} />;
}
