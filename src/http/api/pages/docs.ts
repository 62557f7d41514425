import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeApi } from "../document/describeApi.js";
import type { OpenApi } from "../reference/openApi.js";
import { referencePage } from "../reference/referencePage.js";
import type { Route } from "../route.js";
import type { Page } from "./page.js";

/** Everything comes from this service, and nothing is inline. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The build has the script beside the page; sources that run as they are use the last build's. */
const folder = new URL("../reference/", import.meta.url);
const script = new URL("browser/reference.js", folder);
const built = fileURLToPath(
  existsSync(script) ? script : new URL("../../../../dist/http/api/reference/browser/reference.js", import.meta.url),
);

export function docsPages(routes: readonly Route[], publicUrl: string): readonly Page[] {
  const page = referencePage(describeApi(routes, publicUrl) as unknown as OpenApi, publicUrl);
  const file = (path: string, type: string, text: string): Page => ({
    path,
    handler: (c) => c.body(text, 200, { "content-type": `${type}; charset=utf-8`, "content-security-policy": contentSecurityPolicy }),
  });
  return [
    file("/docs", "text/html", page),
    file("/docs/reference.css", "text/css", readFileSync(new URL("reference.css", folder), "utf8")),
    file("/docs/reference.js", "text/javascript", readFileSync(built, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n")),
  ];
}
