// src/domain/validation turns zod's findings into plain sentences that begin with the path, for requests and for files alike.
import type { z } from "zod";
import { validationMessages } from "./messages.js";
import { validationSentence } from "./sentence.js";

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly faults: string[] };

/** `root` names the input in a message about the whole input. */
export function check<S extends z.ZodType>(schema: S, input: unknown, root: string): Checked<z.output<S>> {
  const parsed = schema.safeParse(input, { error: validationSentence });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, faults: [...new Set(validationMessages(parsed.error.issues, root))] };
}
