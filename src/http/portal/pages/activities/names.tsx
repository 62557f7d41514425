import { presentOf } from "../../../../queries/organisations/organisations.js";
import type { PortalDeps } from "../../page.js";

/** A customer's name, as far as the organisation's newest catalogue knows it. */
export type NameOfCustomer = (customerId: string) => string | undefined;

export interface ActivitiesPresent {
  readonly now: Date;
  readonly nameOf: NameOfCustomer;
}

export async function presentNames(organisationId: string, { pool, catalogues }: PortalDeps): Promise<ActivitiesPresent> {
  const { now, catalogueVersion } = await presentOf(pool, organisationId);
  const { customers } = await catalogues(organisationId, catalogueVersion);
  return { now, nameOf: (customerId) => customers.get(customerId)?.name };
}

export function Customer({ customerId, nameOf }: { readonly customerId: string | null; readonly nameOf: NameOfCustomer }) {
  if (!customerId) return <span class="muted">Without a customer</span>;
  const name = nameOf(customerId);
  return name === undefined ? (
    <span>{customerId}</span>
  ) : (
    <span>
      {name} <span class="muted customer-id">{customerId}</span>
    </span>
  );
}

const grouped = new Intl.NumberFormat("en-AU");

/** An exact decimal with its thousands apart: `1,234.5`. */
export function Quantity({ text }: { readonly text: string }) {
  const [whole = "", fraction] = text.split(".");
  return (
    <span class="amount">{`${grouped.format(whole as Intl.StringNumericLiteral)}${fraction === undefined ? "" : `.${fraction}`}`}</span>
  );
}
