import { limits } from "../../../../domain/imports/limits.js";
import { Choice, DayField, Field } from "../../shell/form.js";
import type { SignedInVisit } from "../../visit.js";
import { shipmentsPath } from "./address.js";

interface FiltersProps {
  readonly visit: SignedInVisit;
  readonly customers: readonly { readonly id: string; readonly name: string }[];
  readonly isFiltered: boolean;
}

export function Filters({ visit: { query, links }, customers, isFiltered }: FiltersProps) {
  const sorted = customers.toSorted((one, other) => one.name.localeCompare(other.name));
  const asked = query["customer"] ?? "";
  // A shipment keeps its customer also when the catalogue no longer has it.
  const gone = asked !== "" && !customers.some(({ id }) => id === asked) ? [{ value: asked, label: asked }] : [];
  const options = [
    { value: "", label: "All customers" },
    ...sorted.map(({ id, name }) => ({ value: id, label: `${name} (${id})` })),
    ...gone,
  ];
  const text = { autocomplete: "off", required: false } as const;
  return (
    <form method="get" action={links.to(shipmentsPath)} class="in-line filters">
      <Field label="Id begins with" name="id" value={query["id"]} maxlength={limits.identifierLength} {...text} />
      <Choice label="Customer" name="customer" value={asked} options={options} />
      <Field label="Reference" name="reference" value={query["reference"]} maxlength={limits.sourceDetailsLength} {...text} />
      <Field label="Place" name="place" value={query["place"]} placeholder="Postcode or suburb" maxlength={100} {...text} />
      <DayField label="Updated from" name="from" value={query["from"]} />
      <DayField label="Updated to" name="to" value={query["to"]} />
      <button type="submit">Search</button>
      {isFiltered ? (
        <a class="button quiet" href={links.to(shipmentsPath)}>
          Show all
        </a>
      ) : null}
    </form>
  );
}
