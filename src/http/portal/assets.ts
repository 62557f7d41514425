import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "hono";
import { Rejection } from "../../domain/rejection.js";
import type { AppEnv } from "../server/aroundRequest.js";
import { compressedOnce } from "../server/compress.js";
import { joinedStyles } from "../server/joinedStyles.js";

export const assetFolder = "/portal/assets";

const here = fileURLToPath(new URL(".", import.meta.url));
/** A build has the scripts beside this file. Sources that run unbuilt use the scripts of the last build. */
const scripts = existsSync(join(here, "browser", "everyPage.js"))
  ? join(here, "browser")
  : fileURLToPath(new URL("../../../dist/http/portal/browser", import.meta.url));

/** The portal's files. Their address has a hash of all of them, so that a browser may keep them for good. Scripts import each other by their paths. */
export function readAssets() {
  const names = readdirSync(scripts, { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith(".js"));
  const texts: readonly (readonly [name: string, text: string])[] = [
    ["styles.css", joinedStyles(join(here, "styles"))],
    ["icon.svg", icon],
    ["htmx.js", readFileSync(createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"), "utf8")],
    ...names.map((name) => [name.split(sep).join("/"), withoutSourceMap(readFileSync(join(scripts, name), "utf8"))] as const),
  ];
  const folder = `${assetFolder}/${hash("sha256", JSON.stringify(texts)).slice(0, 12)}/`;
  const byPath = new Map(texts.map(([name, text]) => [folder + name, compressedOnce(text)]));
  return {
    byPath,
    /** The path of `styles.css`, `htmx.js` or one of our own scripts. */
    path: (name: string): string => {
      if (!byPath.has(folder + name)) throw new Error(`the portal has no asset ${name}`);
      return folder + name;
    },
  };
}

const withoutSourceMap = (script: string) => script.replace(/\n\/\/# sourceMappingURL=\S*\s*$/, "\n");

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 10l4 13 6-11 6 11 4-13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

export function serveAsset(c: Context<AppEnv>, { byPath }: ReturnType<typeof readAssets>): Response {
  const { path } = c.req;
  const packed = byPath.get(path);
  if (!packed) throw new Rejection("notFound", "There is no such file. Reload the page");
  const { body, headers: packing } = packed(c);
  const caching = { "cache-control": "public, max-age=31536000, immutable" };
  const headers = { ...c.get("answerHeaders"), "content-type": types[path.split(".").at(-1) ?? ""] ?? "", ...caching, ...packing };
  return new Response(c.req.method === "HEAD" ? null : body, { status: 200, headers });
}
