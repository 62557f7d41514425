import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "hono";
import { Rejection } from "../../domain/rejection.js";
import { compressOnce } from "../server/compress.js";
import { joinedStyles } from "../server/joinedStyles.js";
import type { AppEnv } from "../server/requestMiddleware.js";

export const assetFolder = "/portal/assets";

const here = fileURLToPath(new URL(".", import.meta.url));
/** A build has the scripts beside this file. When the sources run unbuilt, the scripts of the last build are used. */
const scriptsFolder = existsSync(join(here, "browser", "everyPage.js"))
  ? join(here, "browser")
  : fileURLToPath(new URL("../../../dist/http/portal/browser", import.meta.url));

/** Reads the portal's static files. They are served from a folder named after a hash of them all, so browsers may cache them for good. */
export function readAssets() {
  const names = readdirSync(scriptsFolder, { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith(".js"));
  const texts: readonly (readonly [name: string, text: string])[] = [
    ["styles.css", joinedStyles(join(here, "styles"))],
    ["icon.svg", icon],
    ["htmx.js", readFileSync(createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"), "utf8")],
    ...names.map((name) => [name.split(sep).join("/"), withoutSourceMap(readFileSync(join(scriptsFolder, name), "utf8"))] as const),
  ];
  const folder = `${assetFolder}/${hash("sha256", JSON.stringify(texts)).slice(0, 12)}/`;
  const byPath = new Map(texts.map(([name, text]) => [folder + name, compressOnce(text)]));
  return {
    byPath,
    /** The path of a file such as `styles.css`, `htmx.js` or one of the portal's scripts. */
    path: (name: string): string => {
      if (!byPath.has(folder + name)) throw new Error(`the portal has no asset ${name}`);
      return folder + name;
    },
  };
}

const withoutSourceMap = (script: string) => script.replace(/\n\/\/# sourceMappingURL=\S*\s*$/, "\n");

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 10l4 13 6-11 6 11 4-13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

export function serveAsset(c: Context<AppEnv>, { byPath }: ReturnType<typeof readAssets>): Response {
  const { path } = c.req;
  const asset = byPath.get(path);
  if (!asset) throw new Rejection("notFound", "There is no such file. Reload the page");
  const { body, headers: encoding } = asset(c);
  const caching = { "cache-control": "public, max-age=31536000, immutable" };
  const headers = { ...c.get("answerHeaders"), "content-type": contentTypes[path.split(".").at(-1) ?? ""] ?? "", ...caching, ...encoding };
  return new Response(c.req.method === "HEAD" ? null : body, { status: 200, headers });
}
