// An e-mail address as people type it, and the form that it is found and compared by.
import { Rejection } from "../rejection.js";

const longest = 254;
const shape = /^[^\s@<>()",;:\\[\]\p{Cc}]+@[^\s@<>()",;:\\[\]\p{Cc}.]+(\.[^\s@<>()",;:\\[\]\p{Cc}.]+)*$/u;

/** Trims and checks an address. Throws a Rejection for text that is none. */
export function parseEmail(text: string): string {
  const email = text.trim().normalize("NFC");
  if (email.length > longest || !shape.test(email)) {
    throw new Rejection("invalid", `Give an e-mail address such as name@example.com, of at most ${longest} characters`);
  }
  return email;
}

/** Addresses with the same key are the same member's. */
export const emailKey = (text: string): string => text.trim().normalize("NFC").toLowerCase();
