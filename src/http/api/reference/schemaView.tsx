import type { OpenApi } from "../document/describeApi.js";
import { type Schema, schemaName } from "../document/schemas.js";

const maxNesting = 6;

interface Props {
  readonly schema: Schema;
  readonly document: OpenApi;
  readonly depth?: number;
}

/** The fields of an object. The fields of a field are a nested list that can be opened. */
export function SchemaView({ schema, document, depth = 0 }: Props) {
  const target = resolve(schema, document);
  if (target.type === "array" && target.items) return <SchemaView schema={target.items} document={document} depth={depth} />;
  if (!target.properties || depth > maxNesting) return null;
  return (
    <ul class="fields">
      {Object.entries(target.properties).map(([name, property]) => (
        <li>
          <code class="name">{name}</code> <span class="type">{typeName(property, document)}</span>
          {target.required?.includes(name) && <span class="required"> required</span>}
          {property["x-extension"] && <span class="extension"> extension</span>}
          <SchemaDescription schema={{ ...resolve(property, document), ...property }} />
          {hasFields(property, document) && (
            <details>
              <summary>
                Fields of <code>{name}</code>
              </summary>
              <SchemaView schema={property} document={document} depth={depth + 1} />
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

export function SchemaDescription({ schema }: { schema: Schema }) {
  const bounds = describeBounds(schema);
  return (
    <>
      {schema.description !== undefined && <p>{schema.description}.</p>}
      {bounds !== "" && <p class="bounds">{bounds}</p>}
    </>
  );
}

const resolve = (schema: Schema, { components }: OpenApi): Schema => {
  const name = schemaName(schema);
  return name === undefined ? schema : (components.schemas[name] ?? {});
};

const hasFields = (schema: Schema, document: OpenApi): boolean => {
  const target = resolve(schema, document);
  const part = target.oneOf?.[0] ?? target.items;
  return target.properties !== undefined || (part !== undefined && hasFields(part, document));
};

export function typeName(schema: Schema, document: OpenApi): string {
  const target = resolve(schema, document);
  if (target.oneOf) return target.oneOf.map((each) => typeName(each, document)).join(" or ");
  if (target.type === "array") return `array of ${typeName(target.items ?? {}, document)}`;
  const types = typeof target.type === "string" ? [target.type] : (target.type ?? ["any"]);
  const values = typeof target.additionalProperties === "object" ? ` of ${typeName(target.additionalProperties, document)}` : "";
  return types.map((type) => (type === "null" || target.format === undefined ? type : `${type} (${target.format})`)).join(" or ") + values;
}

const boundTexts: Readonly<Record<string, (value: unknown) => string>> = {
  minLength: (value) => `at least ${value} characters`,
  maxLength: (value) => `at most ${value} characters`,
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  exclusiveMinimum: (value) => `more than ${value}`,
  minItems: (value) => `at least ${value} element${value === 1 ? "" : "s"}`,
  maxItems: (value) => `at most ${value} elements`,
  default: (value) => `${JSON.stringify(value)} when left out`,
  enum: (value) => `one of ${(value as unknown[]).map((each) => JSON.stringify(each)).join(", ")}`,
  const: (value) => `always ${JSON.stringify(value)}`,
};

function describeBounds(schema: Schema): string {
  const parts = Object.entries(boundTexts).flatMap(([name, describe]) => (schema[name] === undefined ? [] : [describe(schema[name])]));
  const text = parts.join(", ");
  return text === "" ? "" : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
