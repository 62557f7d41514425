// src/domain/pushes: the bodies of the JSON pushes, and the file each is turned into.
import { z } from "zod";
import { limits } from "../imports/limits.js";

/** Postgres text and CSV cannot hold NUL; a lone surrogate would come back as another character. */
export const storable = (value: string) => !value.includes("\0") && value.isWellFormed();
const unstorable = "must not contain NUL or broken Unicode";

export const text = (length: number = limits.textLength) => z.string().max(length).refine(storable, unstorable);

/** Present and not only blanks. */
export const requiredText = (length: number = limits.identifierLength) =>
  text(length).refine((value) => value.trim() !== "", "must not be empty");

export const sourceDetails = text(limits.sourceDetailsLength);
