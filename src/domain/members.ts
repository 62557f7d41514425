// The members of an organisation: what they may do, and their e-mail addresses, links and passwords.
import { hash } from "node:crypto";
import { z } from "zod";
import { Rejection } from "./rejection.js";

export const role = z.enum(["admin", "operator", "viewer"]);
export type Role = z.infer<typeof role>;

/**
 * `look`: view every page except the settings pages. `operate`: upload, correct, quote and cancel. `catalogue`: change the catalogue, which
 * everybody may view. Each other action: view and change the settings page of that name.
 */
export type Action = "look" | "operate" | "catalogue" | "members" | "keys" | "webhooks" | "log";

const allowedActions: Readonly<Record<Role, readonly Action[]>> = {
  admin: ["look", "operate", "catalogue", "members", "keys", "webhooks", "log"],
  operator: ["look", "operate"],
  viewer: ["look"],
};

export const may = (memberRole: Role, action: Action): boolean => allowedActions[memberRole].includes(action);

const maxEmailLength = 254;
const emailPattern = /^[^\s@<>()",;:\\[\]\p{Cc}]+@[^\s@<>()",;:\\[\]\p{Cc}.]+(\.[^\s@<>()",;:\\[\]\p{Cc}.]+)*$/u;

/** Trims and checks an address. Throws a Rejection for text that is no address. */
export function parseEmail(text: string): string {
  const email = text.trim().normalize("NFC");
  if (email.length > maxEmailLength || !emailPattern.test(email)) {
    throw new Rejection("invalid", `Give an e-mail address such as name@example.com, of at most ${maxEmailLength} characters`);
  }
  return email;
}

export const maxNameLength = 200;
/** Control characters, and characters that turn the direction of text: a name with one would show its neighbours in a list backwards. */
const forbiddenInNames = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;
const visibleCharacter = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A person's name, trimmed; undefined for an empty text. Throws a Rejection for text that cannot be a name. */
export function parseName(text: string | undefined): string | undefined {
  const name = text?.trim().normalize("NFC");
  if (name === undefined || name === "") return undefined;
  if (name.length > maxNameLength || forbiddenInNames.test(name) || !visibleCharacter.test(name))
    throw new Rejection("invalid", `A name has at most ${maxNameLength} characters, and none that cannot be seen`);
  return name;
}

/** Addresses with the same key are the same member's. */
export const emailKey = (text: string): string => text.trim().normalize("NFC").toLowerCase();

/** How long a link to join or to set a password works. */
export const linkHours = 72;

const tokenPattern = /^[\w-]{43}$/;

/** Makes a token of 256 bits, as text that can be part of a URL. `randomBytes` must be cryptographically random. */
export const makeToken = (randomBytes: (count: number) => Uint8Array): string => Buffer.from(randomBytes(32)).toString("base64url");

/** False for text that `makeToken` cannot have made. */
export const isToken = (text: string): boolean => tokenPattern.test(text);

export const hashToken = (token: string): string => hash("sha256", token, "hex");

export const linkAddress = (publicUrl: string, token: string): string => `${publicUrl}/portal/join/${token}`;

export const passwordLength = { min: 12, max: 200 } as const;

/** Why the password is refused, for the person who chose it. `facts`: the member's e-mail, name and organisation, which are no secret. */
export function passwordFault(password: string, facts: readonly string[], isCommon: (lowerCase: string) => boolean): string | undefined {
  const { min, max } = passwordLength;
  const length = [...password].length;
  if (length < min) return `Choose a password of at least ${min} characters, such as a few words in a row`;
  if (password.length > max) return `Choose a password of at most ${max} characters`;
  const plain = password.normalize("NFC").toLowerCase();
  if (facts.some((text) => isPasswordBasedOn(plain, text)))
    return "Choose a password that is not your e-mail, your name or your organisation's name";
  if (isEasy(plain, isCommon)) return "This password is too easy to guess. Choose another one, such as a few words in a row";
  return undefined;
}

/** Whether the password is the text, or its part before an @, with or without digits and signs around it. `plain`: in lower case. */
function isPasswordBasedOn(plain: string, text: string): boolean {
  const whole = text.trim().normalize("NFC").toLowerCase();
  const names = [whole, whole.split("@")[0] ?? ""].filter((name) => name.length > 3);
  const core = coreOf(plain);
  return names.some((name) => plain === name || core === coreOf(name));
}

/**
 * Whether an attacker would try the password early: a common password (also with digits and signs around it, as long as those are at most
 * half of it), a few characters repeated, or a run along the alphabet or the keyboard.
 */
function isEasy(plain: string, isCommon: (lowerCase: string) => boolean): boolean {
  const core = coreOf(plain);
  if (isCommon(plain) || (core.length * 2 >= plain.length && isCommon(core))) return true;
  if (/^(.{1,6}?)\1+.{0,3}$/su.test(plain)) return true;
  return runs.some((run) => `${run}${run}`.includes(plain) || `${backwards(run)}${backwards(run)}`.includes(plain));
}

const runs = ["0123456789", "1234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm"].map((run) => run.repeat(2));
const backwards = (text: string): string => [...text].reverse().join("");

const coreOf = (text: string): string => /[^\d\p{P}\p{S}\s](?:.*[^\d\p{P}\p{S}\s])?/su.exec(text)?.[0] ?? "";
