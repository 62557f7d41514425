import { isLongerThan, limits } from "../../domain/imports/limits.js";
import { Rejection } from "../../domain/rejection.js";
import { isStorable } from "../../domain/rows/cells.js";
import { Problem } from "../server/problem.js";

/** The fields of a form as they were sent. An absent field reads as empty. */
export interface Fields {
  readonly get: (name: string) => string;
  readonly all: (name: string) => readonly string[];
}

/** The largest body of a form, unless the form's definition allows more. */
export const maxFormBytes = 64 * 1024;
/** Enough for the largest form, a quote's: 200 items with six fields each, and its customers. */
export const maxFields = 1_500;

export const noFields: Fields = { get: () => "", all: () => [] };

export function requireFormType(contentType: string | undefined, type = "application/x-www-form-urlencoded"): void {
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== type) throw new Problem("unsupportedMediaType", `Send the form as ${type}`);
}

export const parseFields = (bytes: Uint8Array): Fields => fieldsOf([...new URLSearchParams(new TextDecoder().decode(bytes))]);

function fieldsOf(entries: readonly (readonly [string, string])[]): Fields {
  if (entries.length > maxFields) throw new Rejection("invalid", "The form has too many fields");
  if (entries.some((entry) => entry.some((text) => text.includes("\0"))))
    throw new Rejection("invalid", "The form must not contain a NUL character");
  const all = (name: string) => entries.filter(([field]) => field === name).map(([, value]) => value);
  return { all, get: (name) => all(name)[0] ?? "" };
}

/** Reads a number from 1 to 999,999,999, such as a version's, from an address or a form. Undefined for any other text. */
export const parsePositiveInteger = (text = ""): number | undefined => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);

/** Thrown by `submit` to show the form again with this message, as for a Rejection, but with a status that no Rejection has. */
export class FormRefusal extends Error {
  constructor(
    message: string,
    readonly status: 401 | 429,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** Reads the reason that a person gives for reversing or correcting recorded rows. */
export function readReason(fields: Fields): string {
  const reason = fields.get("reason").trim();
  if (reason === "" || isLongerThan(reason, limits.reasonLength) || !isStorable(reason))
    throw new Rejection("invalid", `Give a reason of 1 to ${limits.reasonLength} characters`);
  return reason;
}

/** The fields as a page may repeat them when it shows the form again: passwords and tokens are empty. */
export const withoutSecrets = ({ get, all }: Fields): Fields => ({
  get: (name) => (isSecret(name) ? "" : get(name)),
  all: (name) => (isSecret(name) ? [] : all(name)),
});

const isSecret = (name: string) => /password|token/i.test(name);
