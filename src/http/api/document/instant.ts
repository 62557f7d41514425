import { z } from "zod";

/** A time in an answer. */
export const instant = (meaning: string) => z.string().meta({ description: `${meaning}. ISO 8601, UTC`, format: "date-time" });
