import type { OpenApi } from "../document/describeApi.js";
import { type Schema, schemaName } from "../document/schemas.js";

const deepest = 6;

interface Props {
  readonly schema: Schema;
  readonly document: OpenApi;
  readonly depth?: number;
}

/** The fields of an object. The fields of a field are a nested list that can be opened. */
export function SchemaView({ schema, document, depth = 0 }: Props) {
  const own = resolved(schema, document);
  if (own.type === "array" && own.items) return <SchemaView schema={own.items} document={document} depth={depth} />;
  if (!own.properties || depth > deepest) return null;
  return (
    <ul class="fields">
      {Object.entries(own.properties).map(([name, property]) => (
        <li>
          <code class="name">{name}</code> <span class="type">{typeName(property, document)}</span>
          {own.required?.includes(name) && <span class="required"> required</span>}
          {property["x-extension"] && <span class="extension"> extension</span>}
          <SchemaDescription schema={{ ...resolved(property, document), ...property }} />
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
  const limits = bounds(schema);
  return (
    <>
      {schema.description !== undefined && <p>{schema.description}.</p>}
      {limits !== "" && <p class="bounds">{limits}</p>}
    </>
  );
}

const resolved = (schema: Schema, { components }: OpenApi): Schema => {
  const name = schemaName(schema);
  return name === undefined ? schema : (components.schemas[name] ?? {});
};

const hasFields = (schema: Schema, document: OpenApi): boolean => {
  const own = resolved(schema, document);
  const part = own.oneOf?.[0] ?? own.items;
  return own.properties !== undefined || (part !== undefined && hasFields(part, document));
};

export function typeName(schema: Schema, document: OpenApi): string {
  const own = resolved(schema, document);
  if (own.oneOf) return own.oneOf.map((each) => typeName(each, document)).join(" or ");
  if (own.type === "array") return `array of ${typeName(own.items ?? {}, document)}`;
  const types = typeof own.type === "string" ? [own.type] : (own.type ?? ["any"]);
  const values = typeof own.additionalProperties === "object" ? ` of ${typeName(own.additionalProperties, document)}` : "";
  return types.map((type) => (type === "null" || own.format === undefined ? type : `${type} (${own.format})`)).join(" or ") + values;
}

const words: Readonly<Record<string, (value: unknown) => string>> = {
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

function bounds(schema: Schema): string {
  const said = Object.entries(words).flatMap(([name, say]) => (schema[name] === undefined ? [] : [say(schema[name])]));
  const text = said.join(", ");
  return text === "" ? "" : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
