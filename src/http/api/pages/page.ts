import type { Context } from "hono";
import type { AppEnv } from "../../server/requestFrame.js";

/** A page that is not in the contract and needs no key. */
export interface Page {
  readonly path: string;
  readonly handler: (c: Context<AppEnv>) => Response | Promise<Response>;
}
