import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Page } from "./page.js";

// All files come from the installed package: the page works without internet and may load nothing from other hosts.
// Inline styles are allowed, since Swagger UI sets them; scripts must be files of this service.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const shell = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waybill API reference</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same reference is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  showExtensions: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
`;

const assets: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

export function docsPages(): readonly Page[] {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const headers = (type: string) => ({ "content-type": type, "content-security-policy": contentSecurityPolicy });
  return [
    { path: "/docs", handler: (c) => c.body(shell, 200, headers("text/html; charset=utf-8")) },
    { path: "/docs/start.js", handler: (c) => c.body(start, 200, headers("text/javascript; charset=utf-8")) },
    ...Object.entries(assets).map(([name, type]) => ({
      path: `/docs/${name}`,
      handler: async (c: Parameters<Page["handler"]>[0]) => c.body(new Uint8Array(await readFile(join(folder, name))), 200, headers(type)),
    })),
  ];
}
