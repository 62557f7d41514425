import type { z } from "zod";
import { Rejection } from "../../domain/rejection.js";
import { check } from "../../domain/validation.js";

/** Parses one part of a request, or rejects it with all faults and their paths. */
export function validate<S extends z.ZodType>(schema: S, value: unknown, root: string): z.output<S> {
  const checked = check(schema, value, root);
  if (checked.ok) return checked.value;
  throw new Rejection("invalid", checked.faults[0] ?? `${root} is invalid`, checked.faults);
}
