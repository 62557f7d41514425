import { isLonger, limits } from "../../domain/imports/limits.js";
import { Rejection } from "../../domain/rejection.js";
import { isStorable } from "../../domain/rows/cells.js";
import { Problem } from "../server/problem.js";

/** The fields of a form as they were sent; a field that is absent reads as empty. */
export interface Fields {
  readonly get: (name: string) => string;
  readonly all: (name: string) => readonly string[];
}

/** Our own forms are smaller; a larger body is rejected. */
export const maxFormBytes = 64 * 1024;
/** A quote's form has the most: 200 items with six fields each, and its customers. */
export const mostFields = 1_500;

export const noFields: Fields = { get: () => "", all: () => [] };

export function requireFormType(contentType: string | undefined, wanted = "application/x-www-form-urlencoded"): void {
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== wanted) throw new Problem("unsupportedMediaType", `Send the form as ${wanted}`);
}

export const parseFields = (bytes: Uint8Array): Fields => fieldsOf([...new URLSearchParams(new TextDecoder().decode(bytes))]);

function fieldsOf(entries: readonly (readonly [string, string])[]): Fields {
  if (entries.length > mostFields) throw new Rejection("invalid", "The form has too many fields");
  if (entries.some((entry) => entry.some((text) => text.includes("\0"))))
    throw new Rejection("invalid", "The form must not contain a NUL character");
  const all = (name: string) => entries.filter(([given]) => given === name).map(([, value]) => value);
  return { all, get: (name) => all(name)[0] ?? "" };
}

/** A number from 1, such as a version's, in an address or a form. */
export const numberIn = (text = ""): number | undefined => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined);

/** Thrown by a form that is shown again, as after a Rejection, and has a status that no Rejection has. */
export class FormRefusal extends Error {
  constructor(
    message: string,
    readonly status: 401 | 429,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** Why recorded rows are taken back or corrected. */
export function reasonIn(fields: Fields): string {
  const reason = fields.get("reason").trim();
  if (reason === "" || isLonger(reason, limits.reasonLength) || !isStorable(reason))
    throw new Rejection("invalid", `Give a reason of 1 to ${limits.reasonLength} characters`);
  return reason;
}

/** What a page that shows the form again may repeat. */
export const withoutPasswords = ({ get, all }: Fields): Fields => ({
  get: (name) => (isSecret(name) ? "" : get(name)),
  all: (name) => (isSecret(name) ? [] : all(name)),
});

const isSecret = (name: string) => /password|token/i.test(name);
