import { versionAndClockOf } from "../../../queries/organisations/organisations.js";
import { oncePerVisit, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import type { Chip } from "../shell/chips.js";
import { type Column, column } from "../shell/table.js";

/** Returns the customer's name in the newest catalogue; undefined if the catalogue does not have the customer. */
export type NameOfCustomer = (customerId: string) => string | undefined;

/** The database's time and the organisation's newest catalogue, read at most once for each visit. */
export const currentCatalogue = oncePerVisit(async (visit, deps: Pick<PortalDeps, "pool" | "catalogues">) => {
  const { organisationId } = visit.person;
  const { now, catalogueVersion } = await versionAndClockOf(organisationId, deps.pool);
  const catalogue = await deps.catalogues(organisationId, catalogueVersion);
  const nameOf = (customerId: string) => catalogue.customers.get(customerId)?.name;
  return { now, catalogueVersion, catalogue, file: catalogue.file, nameOf };
});

export type CurrentCatalogue = Awaited<ReturnType<typeof currentCatalogue>>;

export function Customer({ customerId, nameOf }: { customerId: string | null; nameOf: NameOfCustomer }) {
  if (!customerId) return <span class="muted">Without a customer</span>;
  const name = nameOf(customerId);
  if (name === undefined) return <span>{customerId}</span>;
  return (
    <span class="customer">
      {name} <span class="muted customer-id">{customerId}</span>
    </span>
  );
}

/** The columns for the customer of a list's rows: on pages one with name and id, in files one for each. */
export const customerColumns = <Row,>(nameOf: NameOfCustomer, idOf: (row: Row) => string | null): readonly Column<Row>[] => [
  column("customer", "Customer", (row) => nameOf(idOf(row) ?? "") ?? idOf(row), {
    cell: (row) => <Customer customerId={idOf(row)} nameOf={nameOf} />,
  }),
  column("customerId", "Customer id", idOf, { onlyInFiles: true }),
];

export const sortedCustomers = async (visit: SignedInVisit, deps: PortalDeps) =>
  [...(await currentCatalogue(visit, deps)).catalogue.customers.values()].sort((a, b) => a.name.localeCompare(b.name));

export async function customerChip(visit: SignedInVisit, deps: PortalDeps): Promise<Chip> {
  const options = (await sortedCustomers(visit, deps)).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  return { name: "customer", label: "Customer", kind: "choice", all: "All customers", options };
}
