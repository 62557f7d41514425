import { limits } from "../../../../domain/imports/limits.js";
import { Choice, Field } from "../../shell/form.js";
import { FilterForm } from "../../shell/list.js";
import type { SignedInVisit } from "../../visit.js";
import { shipmentsPath } from "./address.js";

interface FiltersProps {
  readonly visit: SignedInVisit;
  readonly customers: readonly { readonly id: string; readonly name: string }[];
  readonly isFiltered: boolean;
}

export function Filters({ visit, customers, isFiltered }: FiltersProps) {
  const { query } = visit;
  const sorted = customers.toSorted((one, other) => one.name.localeCompare(other.name));
  const chosen = query["customer"] ?? "";
  // A shipment keeps its customer also when the catalogue no longer has it.
  const gone = chosen !== "" && !customers.some(({ id }) => id === chosen) ? [{ value: chosen, label: chosen }] : [];
  const options = [
    { value: "", label: "All customers" },
    ...sorted.map(({ id, name }) => ({ value: id, label: `${name} (${id})` })),
    ...gone,
  ];
  const text = { autocomplete: "off", required: false } as const;
  return (
    <FilterForm visit={visit} path={shipmentsPath} submit="Search" all={isFiltered ? visit.links.to(shipmentsPath) : undefined}>
      <Field label="Id begins with" name="id" value={query["id"]} maxlength={limits.identifierLength} {...text} />
      <Choice label="Customer" name="customer" value={chosen} options={options} />
      <Field label="Reference" name="reference" value={query["reference"]} maxlength={limits.sourceDetailsLength} {...text} />
      <Field label="Place" name="place" value={query["place"]} placeholder="Postcode or suburb" maxlength={100} {...text} />
      <Field label="Updated from" name="from" type="date" value={query["from"]} required={false} />
      <Field label="Updated to" name="to" type="date" value={query["to"]} required={false} />
    </FilterForm>
  );
}
