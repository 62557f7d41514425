import { type ActivityChoices, mostChoices } from "../../../../queries/activities/activityChoices.js";
import { Choice, Field } from "../../shell/form.js";
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
  const action = visit.links.to(activitiesPath);
  const { period } = asked;
  return (
    <section class="panel activity-filters" aria-label="What is shown">
      <form method="get" action={action} class="in-line filters">
        <Kept asked={asked} but={["month", "from", "to"]} />
        <MonthField value={period.month ?? period.firstDay.slice(0, 7)} />
        <button type="submit" class="quiet">
          Show month
        </button>
        <Months visit={visit} asked={asked} />
      </form>
      <form method="get" action={action} class="in-line filters">
        <Kept asked={asked} but={["month", "from", "to", "customer", "warehouse", "charge"]} />
        <DayField label="From" name="from" value={period.firstDay} />
        <DayField label="To" name="to" value={period.lastDay} />
        <CodeField label="Customer" name="customer" value={asked.customer} options={customerOptions(choices, nameOf)} all="All customers" />
        <CodeField
          label="Warehouse"
          name="warehouse"
          value={asked.warehouse}
          options={codes(choices.warehouseCodes)}
          all="All warehouses"
        />
        <CodeField label="Charge code" name="charge" value={asked.charge} options={codes(choices.chargeCodes)} all="All charge codes" />
        <button type="submit">Filter</button>
        {asked.customer || asked.warehouse || asked.charge ? (
          <a class="button quiet" href={addressOf(visit, asked, { customer: "", warehouse: "", charge: "" })}>
            Show all
          </a>
        ) : null}
      </form>
    </section>
  );
}

/** The rest of what is asked for, which a form leaves as it is. */
function Kept({ asked, but }: { readonly asked: Asked; readonly but: readonly string[] }) {
  const kept = [...new URLSearchParams(queryOf(asked))].filter(([name]) => !but.includes(name));
  return (
    <>
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

const MonthField = ({ value }: { readonly value: string }) => (
  <div class="field">
    <label for="field-month">Month</label>
    <input id="field-month" name="month" type="month" value={value} placeholder="2026-03" required />
  </div>
);

const DayField = ({ label, name, value }: { readonly label: string; readonly name: string; readonly value: string }) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input id={`field-${name}`} name={name} type="date" value={value} placeholder="2026-03-01" required />
  </div>
);

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
