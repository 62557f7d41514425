import type { Logger } from "pino";
import { createSingleSignOn } from "../adapters/singleSignOn.js";
import type { Config } from "../config.js";
import { singleSignOnPaths } from "../http/portal/sessions/singleSignOn.js";
import type { SingleSignOn } from "../ports/people.js";

/** Undefined where none is configured. */
export function openSingleSignOn({ singleSignOn, publicUrl }: Config, logger: Logger): SingleSignOn | undefined {
  return singleSignOn && createSingleSignOn({ ...singleSignOn, redirectUri: `${publicUrl}${singleSignOnPaths.finish}`, logger });
}
