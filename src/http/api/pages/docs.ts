import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compressedOnce } from "../../server/compress.js";
import { joinedStyles } from "../../server/joinedStyles.js";
import type { ApiDeps } from "../deps.js";
import { describeApi, type OpenApi } from "../document/describeApi.js";
import { guideText } from "../document/guide.js";
import { guidePage } from "../reference/documentPage.js";
import { referencePage } from "../reference/referencePage.js";
import type { OpenPage, Route } from "../route.js";

/** Everything comes from this service, and nothing is inline. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A build has the script in this folder. Sources that run unbuilt use that of the last build. */
const folder = new URL("../reference/", import.meta.url);
const script = new URL("browser/reference.js", folder);
const built = fileURLToPath(
  existsSync(script) ? script : new URL("../../../../dist/http/api/reference/browser/reference.js", import.meta.url),
);

/** A build has the reference page, made with this address in the place of the service's own. */
export const placeholderAddress = "https://waybill.invalid";
const madeReference = new URL("reference.html", folder);

function reference(document: () => OpenApi, publicUrl: string): string {
  if (existsSync(madeReference)) return readFileSync(madeReference, "utf8").replaceAll(placeholderAddress, publicUrl);
  return referencePage(document(), publicUrl);
}

/** After those of every page, in the order of their names. */
const styles = (): string => joinedStyles(fileURLToPath(new URL("styles/", folder)));

/** The OpenAPI document, the reference and the guide. Each file is made at the first request for it, since most processes never serve one. */
export function docsPages({ publicUrl }: ApiDeps, routes: readonly Route[]): readonly OpenPage[] {
  const document = () => describeApi(routes, publicUrl);
  const file = (path: string, headers: Readonly<Record<string, string>>, read: () => string): OpenPage => {
    let text: ReturnType<typeof compressedOnce> | undefined;
    return {
      path,
      handler: (c) => {
        text ??= compressedOnce(read());
        const { body, headers: packing } = text(c);
        return c.body(body, 200, { ...headers, ...packing });
      },
    };
  };
  const ofDocs = (type: string) => ({ "content-type": `${type}; charset=utf-8`, "content-security-policy": contentSecurityPolicy });
  return [
    file("/openapi.json", { "content-type": "application/json" }, () => JSON.stringify(document())),
    file("/docs", ofDocs("text/html"), () => reference(document, publicUrl)),
    file("/docs/guide", ofDocs("text/html"), () => guidePage(guideText())),
    file("/docs/reference.css", ofDocs("text/css"), styles),
    file("/docs/reference.js", ofDocs("text/javascript"), () =>
      readFileSync(built, "utf8").replace(/\n\/\/# sourceMappingURL=\S*\s*$/, "\n"),
    ),
  ];
}
