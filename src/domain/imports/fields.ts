// The one table of the fields of imports. The header check, push schemas, row judges, ledger tables and JSON, error report, OpenAPI
// document and audit follow from it.

/** What a value has to be, in a file and in a JSON push. */
export type FieldType =
  /** Text of at most 200 characters. */
  | "identifier"
  /** An identifier that names a customer of the organisation. */
  | "customer"
  | "text"
  /** Part of a shipment's origin or destination. */
  | "place"
  | "number"
  /** A number other than 0. With a negative quantity, a warehouse takes back what it recorded before. */
  | "nonZero"
  | "positive"
  /** ISO 8601; a plain number in a workbook is a date serial. */
  | "time";

interface ImportField {
  readonly name: string;
  readonly part: "shipment" | "goodsLine" | "activity";
  readonly type: FieldType;
  /** `value`: no row is accepted without a value. `column`: a file must have the column. */
  readonly required: "value" | "column" | false;
  /** The ledger's column for the field. A shipment's own fields and its goods lines are each one column of JSON. */
  readonly ledgerColumn: string;
  /** The name that people see. Reasons are made of it: `Warehouse code is required`, `Valid quantity is required`. */
  readonly heading: string;
  /** The description in the API reference. */
  readonly meaning: string;
  /** The reason for a missing value, if the contract has another than the usual one. */
  readonly missingReason?: string;
}

// biome-ignore format: a table
export const importFields = [
  { name: "shipmentId", part: "shipment", type: "identifier", required: "value", ledgerColumn: "fields", heading: "Shipment ID", meaning: "Identity of the shipment in the ledger: one that is there already is replaced", missingReason: "No Shipment ID found" },
  { name: "customerId", part: "shipment", type: "customer", required: false, ledgerColumn: "fields", heading: "Customer", meaning: "The customer's id in the organisation" },
  { name: "originPostCode", part: "shipment", type: "place", required: "column", ledgerColumn: "fields", heading: "Origin postcode", meaning: "Postcode of the pickup, as text, because leading zeros matter" },
  { name: "originSuburb", part: "shipment", type: "place", required: "column", ledgerColumn: "fields", heading: "Origin suburb", meaning: "Suburb of the pickup" },
  { name: "originState", part: "shipment", type: "place", required: false, ledgerColumn: "fields", heading: "Origin state", meaning: "State of the pickup, its code or its name" },
  { name: "originCountryCode", part: "shipment", type: "place", required: false, ledgerColumn: "fields", heading: "Origin country", meaning: "ISO country code of the pickup; AU by default" },
  { name: "destinationPostCode", part: "shipment", type: "place", required: "column", ledgerColumn: "fields", heading: "Destination postcode", meaning: "Postcode of the delivery, as text, because leading zeros matter" },
  { name: "destinationSuburb", part: "shipment", type: "place", required: "column", ledgerColumn: "fields", heading: "Destination suburb", meaning: "Suburb of the delivery" },
  { name: "destinationState", part: "shipment", type: "place", required: false, ledgerColumn: "fields", heading: "Destination state", meaning: "State of the delivery, its code or its name" },
  { name: "destinationCountryCode", part: "shipment", type: "place", required: false, ledgerColumn: "fields", heading: "Destination country", meaning: "ISO country code of the delivery; AU by default" },
  { name: "quoteDate", part: "shipment", type: "time", required: false, ledgerColumn: "fields", heading: "Quote date", meaning: "The day or time whose prices were quoted" },
  { name: "rateCardAlias", part: "shipment", type: "text", required: false, ledgerColumn: "fields", heading: "Rate card alias", meaning: "The rate card that was used; kept as given" },
  { name: "totalCostReceived", part: "shipment", type: "number", required: false, ledgerColumn: "fields", heading: "Total cost received", meaning: "What was charged, in the organisation's currency" },
  { name: "itemType", part: "goodsLine", type: "text", required: "value", ledgerColumn: "items", heading: "Item type", meaning: "What the goods are packed as, such as CARTON or PALLET" },
  { name: "itemQuantity", part: "goodsLine", type: "positive", required: false, ledgerColumn: "items", heading: "Item quantity", meaning: "How many; more than 0" },
  { name: "itemWeight", part: "goodsLine", type: "positive", required: false, ledgerColumn: "items", heading: "Item weight", meaning: "Kilograms; more than 0" },
  { name: "warehouseCode", part: "activity", type: "identifier", required: "value", ledgerColumn: "warehouse_code", heading: "Warehouse code", meaning: "The warehouse where it was done; not blank" },
  { name: "chargeCode", part: "activity", type: "identifier", required: "value", ledgerColumn: "charge_code", heading: "Charge code", meaning: "What was done, as it is billed; not blank" },
  { name: "quantity", part: "activity", type: "nonZero", required: "value", ledgerColumn: "quantity", heading: "Quantity", meaning: "How much was done; not 0. A negative quantity takes back an earlier one" },
  { name: "activityTimestamp", part: "activity", type: "time", required: "value", ledgerColumn: "activity_timestamp", heading: "Activity timestamp", meaning: "When it was done" },
  { name: "customerId", part: "activity", type: "customer", required: false, ledgerColumn: "customer_id", heading: "Customer", meaning: "The customer's id in the organisation" },
  { name: "reference", part: "activity", type: "text", required: false, ledgerColumn: "reference", heading: "Reference", meaning: "Your own reference; an activity has no id" },
  { name: "status", part: "activity", type: "text", required: false, ledgerColumn: "status", heading: "Status", meaning: "Kept as given" },
] as const satisfies readonly ImportField[];

export const importKinds = ["shipments", "activities"] as const;
export type ImportKind = (typeof importKinds)[number];

type Entry = (typeof importFields)[number];
export type FieldPart = Entry["part"];
export type FieldName<Part extends FieldPart> = Extract<Entry, { part: Part }>["name"];
export type Field<Part extends FieldPart = FieldPart> = ImportField & { readonly name: FieldName<Part> };

export function fieldsOf<Part extends FieldPart>(...parts: readonly Part[]): readonly Field<Part>[] {
  const fields: readonly ImportField[] = importFields;
  return fields.filter((field): field is Field<Part> => (parts as readonly string[]).includes(field.part));
}

/** The fields that a JSON push may carry. The file that the push becomes has these columns. */
export const pushFieldNames = <Part extends FieldPart>(part: Part): FieldName<Part>[] => fieldsOf(part).map(({ name }) => name);

/** Makes a value for each field, by the field's name. */
export const recordByField = <Part extends FieldPart, T>(
  fields: readonly Field<Part>[],
  make: (field: Field<Part>) => T,
): Record<FieldName<Part>, T> => Object.fromEntries(fields.map((field) => [field.name, make(field)])) as Record<FieldName<Part>, T>;

const fieldsOfKind = { shipments: fieldsOf("shipment", "goodsLine"), activities: fieldsOf("activity") } as const;

export const columnsOf = (kind: ImportKind): readonly Field[] => fieldsOfKind[kind];

export const isNumberField = ({ type }: { type: FieldType }): boolean => type === "number" || type === "nonZero" || type === "positive";

export const customFieldPrefix = "customFields.";

/** In the file made from a JSON push: which element of the push a line came from, counted from 1. */
export const elementColumn = "#";

/** A number as people, spreadsheets and programs write it. A longer text has more digits than a JSON number can hold. */
const numberPattern = /^[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:e[+-]?\d{1,3})?$/i;

/** Below this every whole number has a JSON number of its own. */
const maxMagnitude = 1e15;
/** A milligram in tonnes. A number closer to 0 is left over from a program's rounding, and would fill the sums with decimals. */
const minMagnitude = 1e-9;

/** Numbers are recorded as JSON numbers, which are exact to 15 digits. More digits are rounded, in a file as in a JSON body. */
export const isRecordableNumber = (value: number): boolean =>
  value === 0 || (Math.abs(value) >= minMagnitude && Math.abs(value) < maxMagnitude);

/** A decimal number, or undefined: no hex, blanks, thousands separators, currency signs or Infinity. */
export function parseDecimal(text: string): number | undefined {
  if (!numberPattern.test(text)) return undefined;
  const value = Number(text);
  const isRoundedToZero = value === 0 && /^[^e]*[1-9]/i.test(text); // no JSON number is so small
  return isRecordableNumber(value) && !isRoundedToZero ? value : undefined;
}
