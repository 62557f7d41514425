// What a member of an organisation may do. The one table that pages, forms and commands go by.
import { z } from "zod";

export const role = z.enum(["admin", "operator", "viewer"]);
export type Role = z.infer<typeof role>;

/** `look`: every page but the settings below. `operate`: uploads, corrections, quotes, cancelling. Each other right: its settings page, shown and changed. */
export type Action = "look" | "operate" | "members" | "keys" | "webhooks";

const allowed: Readonly<Record<Role, readonly Action[]>> = {
  admin: ["look", "operate", "members", "keys", "webhooks"],
  operator: ["look", "operate"],
  viewer: ["look"],
};

export const may = (who: Role, action: Action): boolean => allowed[who].includes(action);
