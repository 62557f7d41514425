// A link that lets one member choose a password, once. Only its token's hash is kept.
import { hash } from "node:crypto";

export const linkHours = 72;

const shape = /^[\w-]{43}$/;

/** 256 bits, as text that can stand in an address. `randomBytes` must be cryptographically random. */
export const makeToken = (randomBytes: (count: number) => Uint8Array): string => Buffer.from(randomBytes(32)).toString("base64url");

/** False for text that cannot be a token made here. */
export const isToken = (text: string): boolean => shape.test(text);

export const hashToken = (token: string): string => hash("sha256", token, "hex");

export const linkAddress = (publicUrl: string, token: string): string => `${publicUrl}/portal/join/${token}`;
