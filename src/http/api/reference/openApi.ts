// As much of an OpenAPI document as the reference page shows.

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

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: string | number;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly "x-extension"?: boolean;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Media>> }>>;
}

/** An operation and where it stands. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const schemaName = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);
