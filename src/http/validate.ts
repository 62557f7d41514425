import type { z } from "zod";
import { Rejection } from "../domain/rejection.js";
import { validationMessages } from "./validationMessages.js";
import { validationSentence } from "./validationSentence.js";

/** Parses one part of a request, or rejects it with every fault by path. `root` names the part where the fault is the part itself. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, root: string): z.output<S> {
  const result = schema.safeParse(value, { error: validationSentence });
  if (result.success) return result.data;
  const messages = validationMessages(result.error.issues, root);
  throw new Rejection("invalid", messages[0] ?? `${root} is invalid`, messages);
}
