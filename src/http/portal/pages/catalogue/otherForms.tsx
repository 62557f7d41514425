// The forms of custom fields and of the days on which a rate card is valid.
import type { RateCard } from "../../../../domain/catalogue/schema.js";
import { Field, Form, HiddenFields } from "../../shell/form.js";
import { Panel } from "../../shell/panel.js";
import { catalogueForm } from "./applyChange.js";
import { Buttons, refuseKnown, replaced, typed } from "./formParts.js";
import { addPath, cataloguePath, changePath, changeRoutes, requireThing, thingPath, validityPath } from "./parts.js";

const fieldLabels = { key: "Key", label: "Label" };

const addCustomField = catalogueForm({
  path: addPath("customFields"),
  title: () => "Add custom field",
  body: (view) => (
    <Panel id="custom-field" title="New custom field">
      <Form visit={view.visit} to={addPath("customFields")}>
        <HiddenFields values={{ version: String(view.version) }} />
        <Field
          label="Key"
          name="key"
          value={typed(view, "key", "")}
          maxlength={64}
          autocomplete="off"
          hint="The column name in files. Start with a letter; use letters, digits, dashes and underscores. You cannot change it later."
        />
        <Field
          label="Label"
          name="label"
          value={typed(view, "label", "")}
          maxlength={200}
          autocomplete="off"
          hint="The name that people see."
        />
        <Buttons view={view} label="Add custom field" back={`${cataloguePath}?list=custom-fields`} />
      </Form>
    </Panel>
  ),
  change: (fields, file) => {
    const key = fields.get("key").trim();
    refuseKnown(file.customFields, key, "custom field");
    return {
      file: { ...file, customFields: [...file.customFields, { key, label: fields.get("label") }] },
      goTo: thingPath("customFields", key),
      line: `Custom field ${key} added.`,
      path: `customFields.${file.customFields.length}`,
      labels: fieldLabels,
    };
  },
});

const changeCustomField = catalogueForm({
  path: changeRoutes.customFields,
  title: ({ visit, file }) => `Change ${requireThing(visit, file, "customFields").label}`,
  body: (view) => {
    const { key, label } = requireThing(view.visit, view.file, "customFields");
    return (
      <Panel id="custom-field" title={`Custom field ${key}`}>
        <Form visit={view.visit} to={changePath("customFields", key)}>
          <HiddenFields values={{ version: String(view.version) }} />
          <Field
            label="Label"
            name="label"
            value={typed(view, "label", label)}
            maxlength={200}
            autocomplete="off"
            hint="The name that people see."
          />
          <Buttons view={view} label="Save" back={thingPath("customFields", key)} />
        </Form>
      </Panel>
    );
  },
  change: (fields, file, visit) => {
    const field = requireThing(visit, file, "customFields");
    return {
      file: { ...file, customFields: replaced(file.customFields, field, { ...field, label: fields.get("label") }) },
      goTo: thingPath("customFields", field.key),
      line: `Custom field ${field.key} saved.`,
      path: `customFields.${file.customFields.indexOf(field)}`,
      labels: fieldLabels,
    };
  },
});

const changeValidity = catalogueForm({
  path: changeRoutes.validity,
  title: ({ visit, file }) => `Validity of ${requireThing(visit, file, "rateCards").name}`,
  body: (view) => {
    const { id, validFrom, validTo } = requireThing(view.visit, view.file, "rateCards");
    return (
      <Panel id="rate-card" title={`Rate card ${id}`}>
        <Form visit={view.visit} to={validityPath(id)}>
          <HiddenFields values={{ version: String(view.version) }} />
          <Field label="Valid from" name="validFrom" type="date" value={typed(view, "validFrom", validFrom)} />
          <Field
            label="Valid to"
            name="validTo"
            type="date"
            value={typed(view, "validTo", validTo ?? "")}
            required={false}
            hint="The last day it applies. Leave empty for no end date."
          />
          <Buttons view={view} label="Save" back={thingPath("rateCards", id)} />
        </Form>
      </Panel>
    );
  },
  change: (fields, file, visit) => {
    const card = requireThing(visit, file, "rateCards");
    const changed: RateCard = {
      ...card,
      validFrom: fields.get("validFrom").trim(),
      validTo: fields.get("validTo").trim() || null,
    };
    return {
      file: { ...file, rateCards: replaced(file.rateCards, card, changed) },
      goTo: thingPath("rateCards", card.id),
      line: `Validity of ${card.name} saved.`,
      path: `rateCards.${file.rateCards.indexOf(card)}`,
      labels: { validFrom: "Valid from", validTo: "Valid to" },
    };
  },
});

export const otherForms = [addCustomField, changeCustomField, changeValidity];
