// Converts zod schemas to those of the OpenAPI document. A schema with an id (`.meta({ id })`) is written once, under components.
import { z } from "zod";

/** A time in an answer. */
export const instant = (meaning: string) => z.string().meta({ description: `${meaning}. ISO 8601, UTC`, format: "date-time" });

/** An object in an answer, which the document has among its components under `id`. */
export const answerObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

export type Json = Record<string, unknown>;

/** The parts of a JSON schema that the reference page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly "x-extension"?: boolean;
  readonly [bound: string]: unknown;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export type SchemaCollector = ReturnType<typeof collectSchemas>;

export function collectSchemas() {
  const components = new Map<string, Json>();
  return {
    /** Converts a schema; returns a reference if it has an id. An answer may gain fields, so its `additionalProperties` is not false. */
    add: (schema: z.ZodType, usage: "request" | "answer"): Schema => {
      const json = z.toJSONSchema(schema, { io: usage === "request" ? "input" : "output", unrepresentable: "any", override: keepDefaults });
      const { $schema: _, $defs = {}, ...described } = rewriteForGenerators(json, usage) as Json & { $defs?: Record<string, Json> };
      for (const [name, definition] of Object.entries($defs)) addComponent(components, name, definition);
      const id = described["id"];
      if (typeof id !== "string") return described;
      addComponent(components, id, described);
      return { $ref: schemaReference(id) };
    },
    components: (): Record<string, Schema> => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function addComponent(components: Map<string, Json>, name: string, { id: _, ...definition }: Json): void {
  const earlier = components.get(name);
  if (earlier && JSON.stringify(earlier) !== JSON.stringify(definition)) throw new Error(`two schemas are called ${name}`);
  components.set(name, definition);
}

export const schemaReference = (name: string): string => `#/components/schemas/${name}`;
export const schemaName = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);

/** Adds the defaults that zod omits: those of fields that are converted from text, such as `limit`. */
function keepDefaults({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (zodSchema._zod.def.type === "default") jsonSchema.default = zodSchema._zod.def.defaultValue as typeof jsonSchema.default;
}

/** Rewrites a JSON schema into forms that client generators of other languages understand. */
function rewriteForGenerators(value: unknown, usage: "request" | "answer"): unknown {
  if (Array.isArray(value)) return value.map((each) => rewriteForGenerators(each, usage));
  if (typeof value !== "object" || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewriteForGenerators(each, usage)]));
  if (typeof schema["$ref"] === "string") return { ...schema, $ref: schema["$ref"].replace("#/$defs/", schemaReference("")) };
  if (usage === "answer" && schema["additionalProperties"] === false) delete schema["additionalProperties"];
  // zod adds the bounds of JavaScript's numbers to every whole number.
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (Number.isInteger(schema["const"]) && schema["type"] === "number") schema["type"] = "integer";
  delete schema["propertyNames"]; // always text
  return rewriteNullable(schema);
}

/** Rewrites `anyOf` of a type and null: client generators for C# turn it into an empty class. */
function rewriteNullable(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || (anyOf[1] as Json)["type"] !== "null") return schema;
  const [nonNull] = anyOf as [Json];
  if (typeof nonNull["type"] !== "string") return { oneOf: anyOf, ...rest };
  const choices = Array.isArray(nonNull["enum"]) ? { enum: [...nonNull["enum"], null] } : {};
  return { ...nonNull, ...rest, type: [nonNull["type"], "null"], ...choices };
}
