import { validSessions } from "../../../commands/members/sessions.js";
import type { PortalDeps, PortalOptions } from "../page.js";
import { publishImports } from "../pages/imports/live.js";
import { createImportFeed } from "./importFeed.js";
import { createStreams } from "./streams.js";

/** The streams and the feed of imports, once for the whole process. */
export function createLive(options: PortalOptions, closing: AbortSignal): PortalDeps["live"] {
  const { lookUps, logger } = options;
  const onError = (error: unknown) => logger.debug({ err: error }, "the sessions of open pages could not be looked up");
  return {
    streams: createStreams({ signedIn: (sessions) => validSessions(lookUps, sessions), closing, onError }),
    imports: createImportFeed({ sources: options, logger, publish: publishImports(options) }),
  };
}
