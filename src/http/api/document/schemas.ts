// zod's schemas as the OpenAPI document has them. A schema with an id (`.meta({ id })`) is written once, under components, and referred to by name.
import { z } from "zod";

/** A time in an answer. */
export const instant = (meaning: string) => z.string().meta({ description: `${meaning}. ISO 8601, UTC`, format: "date-time" });

/** A part of an answer that the document has under this name. */
export const answerObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

export type Json = Record<string, unknown>;

/** As much of a JSON schema as the reference page shows. */
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
  const named = new Map<string, Json>();
  return {
    /** `answer`: without `additionalProperties: false`, since an answer may gain a field and strict clients must not break by it. */
    of: (schema: z.ZodType, use: "request" | "answer"): Schema => {
      const made = z.toJSONSchema(schema, { io: use === "request" ? "input" : "output", unrepresentable: "any", override: keepDefaults });
      const { $schema: _, $defs = {}, ...own } = forClientGenerators(made, use) as Json & { $defs?: Record<string, Json> };
      for (const [name, definition] of Object.entries($defs)) add(named, name, definition);
      const id = own["id"];
      if (typeof id !== "string") return own;
      add(named, id, own);
      return { $ref: schemaReference(id) };
    },
    components: (): Record<string, Schema> => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function add(named: Map<string, Json>, name: string, { id: _, ...definition }: Json): void {
  const known = named.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(definition)) throw new Error(`two schemas are called ${name}`);
  named.set(name, definition);
}

export const schemaReference = (name: string): string => `#/components/schemas/${name}`;
export const schemaName = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);

/** zod leaves out the default of a field that is converted from text, such as `limit`. It is added here. */
function keepDefaults({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (zodSchema._zod.def.type === "default") jsonSchema.default = zodSchema._zod.def.defaultValue as typeof jsonSchema.default;
}

/** Rewrites a JSON schema into forms that client generators of other languages understand. */
function forClientGenerators(value: unknown, use: "request" | "answer"): unknown {
  if (Array.isArray(value)) return value.map((each) => forClientGenerators(each, use));
  if (typeof value !== "object" || value === null) return value;
  const given = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, forClientGenerators(each, use)]));
  if (typeof given["$ref"] === "string") return { ...given, $ref: given["$ref"].replace("#/$defs/", schemaReference("")) };
  if (use === "answer" && given["additionalProperties"] === false) delete given["additionalProperties"];
  // Bounds of JavaScript's numbers, which zod adds to every whole number.
  if (given["maximum"] === Number.MAX_SAFE_INTEGER) delete given["maximum"];
  if (given["minimum"] === Number.MIN_SAFE_INTEGER) delete given["minimum"];
  if (Number.isInteger(given["const"]) && given["type"] === "number") given["type"] = "integer";
  delete given["propertyNames"]; // always text
  return withNull(given);
}

/** Writes `anyOf` of a type and null in another way: client generators make empty classes of it in C#. */
function withNull(given: Json): Json {
  const { anyOf, ...rest } = given;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || (anyOf[1] as Json)["type"] !== "null") return given;
  const [some] = anyOf as [Json];
  if (typeof some["type"] !== "string") return { oneOf: anyOf, ...rest };
  const choices = Array.isArray(some["enum"]) ? { enum: [...some["enum"], null] } : {};
  return { ...some, ...rest, type: [some["type"], "null"], ...choices };
}
