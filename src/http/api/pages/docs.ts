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

/** A build has the reference page's script here. Sources that run without a build use the script of the last build. */
const referenceFolder = new URL("../reference/", import.meta.url);
const script = new URL("browser/reference.js", referenceFolder);
const scriptPath = fileURLToPath(
  existsSync(script) ? script : new URL("../../../../dist/http/api/reference/browser/reference.js", import.meta.url),
);

/** The build renders the reference page with this address. The service replaces it with its own address. */
export const placeholderAddress = "https://waybill.invalid";
const builtReference = new URL("reference.html", referenceFolder);

function referenceHtml(makeDocument: () => OpenApi, publicUrl: string): string {
  if (existsSync(builtReference)) return readFileSync(builtReference, "utf8").replaceAll(placeholderAddress, publicUrl);
  return referencePage(makeDocument(), publicUrl);
}

const docsStyles = (): string => joinedStyles(fileURLToPath(new URL("styles/", referenceFolder)));

/** The OpenAPI document, the reference and the guide. Each is made at its first request, since most processes never serve them. */
export function docsPages({ publicUrl }: ApiDeps, routes: readonly Route[]): readonly PublicPage[] {
  const makeDocument = () => describeApi(routes, publicUrl);
  const textPage = (path: string, headers: Readonly<Record<string, string>>, makeText: () => string): PublicPage => {
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
    textPage("/openapi.json", { "content-type": "application/json" }, () => JSON.stringify(makeDocument())),
    textPage("/docs", docsHeaders("text/html"), () => referenceHtml(makeDocument, publicUrl)),
    textPage("/docs/guide", docsHeaders("text/html"), () => guidePage(readUserGuide())),
    textPage("/docs/reference.css", docsHeaders("text/css"), docsStyles),
    textPage("/docs/reference.js", docsHeaders("text/javascript"), () =>
      readFileSync(scriptPath, "utf8").replace(/\n\/\/# sourceMappingURL=\S*\s*$/, "\n"),
    ),
  ];
}
