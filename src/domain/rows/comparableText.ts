import { hash } from "node:crypto";
import { limits } from "../imports/limits.js";

const most = limits.identifierLength;

/** Equal for equal texts only: every identifier as it is, and of a longer text its beginning and its SHA-256, so that it takes little memory. */
export const comparableText = (text: string): string =>
  text.length <= most ? text : `${text.slice(0, most)}${hash("sha256", JSON.stringify(text), "hex")}`;
