import type { Customer } from "../../../../domain/catalogue/schema.js";
import { Field, Form, HiddenFields } from "../../shell/form.js";
import { Panel } from "../../shell/panel.js";
import { judgeAgainPath } from "../corrections/unknownCustomers.js";
import { catalogueForm, type FormView } from "./applyChange.js";
import { Choices, chosenIn } from "./choices.js";
import { Buttons, refuseKnown, replaced, typed, wasSent } from "./formParts.js";
import { addPath, cataloguePath, changePath, changeRoutes, requireThing, thingPath } from "./parts.js";

function CustomerFields({ view, customer }: { view: FormView; customer: Customer | undefined }) {
  const { visit, file } = view;
  const ticked = (name: string, otherwise: readonly string[]) => (wasSent(view) ? chosenIn(visit.submitted, name) : otherwise);
  return (
    <>
      <HiddenFields values={{ version: String(view.version), back: typed(view, "back", visit.query["back"] ?? "") }} />
      {customer ? null : (
        <Field
          label="Id"
          name="id"
          value={typed(view, "id", (visit.query["id"] ?? "").trim().slice(0, 64))}
          maxlength={64}
          autocomplete="off"
          hint="The id that your files and API requests use. You cannot change it later."
        />
      )}
      <Field label="Name" name="name" value={typed(view, "name", customer?.name ?? "")} maxlength={200} autocomplete="off" />
      <Choices
        legend="Carriers"
        name="carrierIds"
        options={file.carriers.map(({ id, name }) => ({ id, label: name }))}
        chosen={ticked("carrierIds", customer?.carrierIds ?? [])}
        empty="The catalogue has no carriers."
      />
      <Choices
        legend="Rate cards"
        name="rateCardIds"
        options={file.rateCards.map(({ id, name }) => ({ id, label: name }))}
        chosen={ticked("rateCardIds", customer?.rateCardIds ?? [])}
        empty="The catalogue has no rate cards."
      />
    </>
  );
}

/** In the order that the customer has them, new ones behind: ticking a box does not change the order of the others. */
function inOrder(before: readonly string[], chosen: readonly string[]): string[] {
  return [...before.filter((id) => chosen.includes(id)), ...chosen.filter((id) => !before.includes(id))];
}

const customerLabels = { id: "Id", name: "Name", carrierIds: "Carriers:", rateCardIds: "Rate cards:" };

const addCustomer = catalogueForm({
  path: addPath("customers"),
  title: () => "Add customer",
  body: (view) => (
    <Panel id="customer" title="New customer">
      <Form visit={view.visit} to={addPath("customers")}>
        <CustomerFields view={view} customer={undefined} />
        <Buttons view={view} label="Add customer" back={cataloguePath} />
      </Form>
    </Panel>
  ),
  change: (fields, file) => {
    const id = fields.get("id").trim();
    refuseKnown(file.customers, id, "customer");
    const customer = {
      id,
      name: fields.get("name"),
      carrierIds: chosenIn(fields, "carrierIds"),
      rateCardIds: chosenIn(fields, "rateCardIds"),
    };
    return {
      file: { ...file, customers: [...file.customers, customer] },
      goTo: fields.get("back") === "judge-again" ? judgeAgainPath : thingPath("customers", id),
      line: `Customer ${id} added.`,
      path: `customers.${file.customers.length}`,
      labels: customerLabels,
    };
  },
});

const changeCustomer = catalogueForm({
  path: changeRoutes.customers,
  title: ({ visit, file }) => `Change ${requireThing(visit, file, "customers").name}`,
  body: (view) => {
    const customer = requireThing(view.visit, view.file, "customers");
    return (
      <Panel id="customer" title={`Customer ${customer.id}`}>
        <Form visit={view.visit} to={changePath("customers", customer.id)}>
          <CustomerFields view={view} customer={customer} />
          <Buttons view={view} label="Save" back={thingPath("customers", customer.id)} />
        </Form>
      </Panel>
    );
  },
  change: (fields, file, visit) => {
    const customer = requireThing(visit, file, "customers");
    const changed = {
      ...customer,
      name: fields.get("name"),
      carrierIds: inOrder(customer.carrierIds, chosenIn(fields, "carrierIds")),
      rateCardIds: inOrder(customer.rateCardIds, chosenIn(fields, "rateCardIds")),
    };
    return {
      file: { ...file, customers: replaced(file.customers, customer, changed) },
      goTo: thingPath("customers", customer.id),
      line: `Customer ${customer.id} saved.`,
      path: `customers.${file.customers.indexOf(customer)}`,
      labels: customerLabels,
    };
  },
});

export const customerForms = [addCustomer, changeCustomer];
