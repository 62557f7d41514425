import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compressOnce } from "../../server/compress.js";
import { joinedStyles } from "../../server/joinedStyles.js";
import type { ApiDeps } from "../deps.js";
import { describeApi, type OpenApi } from "../document/describeApi.js";
import { readUserGuide } from "../document/guide.js";
import { guidePage } from "../reference/documentPage.js";
import { referencePage } from "../reference/referencePage.js";
import type { PublicPage, Route } from "../route.js";

/** The pages load files of this service only, and have no inline scripts or styles. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A build has the page's script in this folder. Sources that run unbuilt use the script of the last build. */
const folder = new URL("../reference/", import.meta.url);
const script = new URL("browser/reference.js", folder);
const scriptPath = fileURLToPath(
  existsSync(script) ? script : new URL("../../../../dist/http/api/reference/browser/reference.js", import.meta.url),
);

/** The build renders the reference page with this address, which the service replaces with its own. */
export const placeholderAddress = "https://waybill.invalid";
const builtReference = new URL("reference.html", folder);

function referenceHtml(document: () => OpenApi, publicUrl: string): string {
  if (existsSync(builtReference)) return readFileSync(builtReference, "utf8").replaceAll(placeholderAddress, publicUrl);
  return referencePage(document(), publicUrl);
}

const docsStyles = (): string => joinedStyles(fileURLToPath(new URL("styles/", folder)));

/** The OpenAPI document, the reference and the guide. Each is made at its first request, since most processes never serve one. */
export function docsPages({ publicUrl }: ApiDeps, routes: readonly Route[]): readonly PublicPage[] {
  const document = () => describeApi(routes, publicUrl);
  const file = (path: string, headers: Readonly<Record<string, string>>, makeText: () => string): PublicPage => {
    let compressed: ReturnType<typeof compressOnce> | undefined;
    return {
      path,
      handler: (c) => {
        compressed ??= compressOnce(makeText());
        const { body, headers: encodingHeaders } = compressed(c);
        return c.body(body, 200, { ...headers, ...encodingHeaders });
      },
    };
  };
  const docsHeaders = (type: string) => ({ "content-type": `${type}; charset=utf-8`, "content-security-policy": contentSecurityPolicy });
  return [
    file("/openapi.json", { "content-type": "application/json" }, () => JSON.stringify(document())),
    file("/docs", docsHeaders("text/html"), () => referenceHtml(document, publicUrl)),
    file("/docs/guide", docsHeaders("text/html"), () => guidePage(readUserGuide())),
    file("/docs/reference.css", docsHeaders("text/css"), docsStyles),
    file("/docs/reference.js", docsHeaders("text/javascript"), () =>
      readFileSync(scriptPath, "utf8").replace(/\n\/\/# sourceMappingURL=\S*\s*$/, "\n"),
    ),
  ];
}
