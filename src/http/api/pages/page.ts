import type { Context } from "hono";
import type { AppEnv } from "../../server/requestFrame.js";

/** Beside the contract, open to anyone who can reach the port. */
export interface Page {
  readonly path: string;
  readonly handler: (c: Context<AppEnv>) => Response | Promise<Response>;
}
