import { versionAndClockOf } from "../../../queries/organisations/organisations.js";
import { oncePerVisit, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import type { Chip } from "../shell/chips.js";
import { type Column, column } from "../shell/table.js";

/** Returns a customer's name in the organisation's newest catalogue; undefined if the catalogue does not have the customer. */
export type NameOfCustomer = (customerId: string) => string | undefined;

/** The current time and the organisation's newest catalogue, read at most once for each visit. */
export const presentCatalogue = oncePerVisit(async (visit, deps: Pick<PortalDeps, "pool" | "catalogues">) => {
  const { organisationId } = visit.person;
  const { now, catalogueVersion } = await versionAndClockOf(organisationId, deps.pool);
  const catalogue = await deps.catalogues(organisationId, catalogueVersion);
  const nameOf = (customerId: string) => catalogue.customers.get(customerId)?.name;
  return { now, catalogueVersion, catalogue, file: catalogue.file, nameOf };
});

export type PresentCatalogue = Awaited<ReturnType<typeof presentCatalogue>>;

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

/** The columns for a list's customer. Files have the id in a column of its own. */
export const customerColumns = <Row,>(nameOf: NameOfCustomer, idOf: (row: Row) => string | null): readonly Column<Row>[] => [
  column("customer", "Customer", (row) => nameOf(idOf(row) ?? "") ?? idOf(row), {
    cell: (row) => <Customer customerId={idOf(row)} nameOf={nameOf} />,
  }),
  column("customerId", "Customer id", idOf, { onlyInFiles: true }),
];

/** The organisation's customers, sorted by name. */
export const sortedCustomers = async (visit: SignedInVisit, deps: PortalDeps) =>
  [...(await presentCatalogue(visit, deps)).catalogue.customers.values()].sort((a, b) => a.name.localeCompare(b.name));

export async function customerChip(visit: SignedInVisit, deps: PortalDeps): Promise<Chip> {
  const options = (await sortedCustomers(visit, deps)).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  return { name: "customer", label: "Customer", kind: "choice", all: "All customers", options };
}
