import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Context } from "hono";
import { Rejection } from "../../domain/rejection.js";
import { compressedOnce } from "../server/compress.js";
import { joinedStyles } from "../server/joinedStyles.js";
import type { AppEnv } from "../server/requestFrame.js";

export const assetFolder = "/portal/assets";

const here = fileURLToPath(new URL(".", import.meta.url));
/** A build has the scripts beside this file. Sources that run unbuilt use the scripts of the last build. */
const scripts = existsSync(join(here, "browser", "everyPage.js"))
  ? join(here, "browser")
  : fileURLToPath(new URL("../../../dist/http/portal/browser", import.meta.url));

export function readAssets() {
  /** By the name in the address, which holds a hash of the content: it may be kept for good. */
  const files = new Map<string, { readonly type: string; readonly packed: ReturnType<typeof compressedOnce> }>();
  const paths = new Map<string, string>();
  const add = (name: string, type: string, body: string) => {
    const hash = createHash("sha256").update(body).digest("hex").slice(0, 12);
    const hashed = name.replace(/\.(\w+)$/, `.${hash}.$1`);
    files.set(hashed, { type, packed: compressedOnce(body) });
    paths.set(name, `${assetFolder}/${hashed}`);
  };
  add("styles.css", "text/css; charset=utf-8", joinedStyles(join(here, "styles")));
  add("icon.svg", "image/svg+xml", icon);
  add("htmx.js", javascript, readFileSync(createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"), "utf8"));
  /** A script names its imports with their hashes, so the imports are added before the script. */
  const addScript = (file: string): string => {
    const name = file.replaceAll("/", "_");
    const known = paths.get(name);
    if (known !== undefined) return known;
    const text = withoutSourceMap(readFileSync(join(scripts, file), "utf8"));
    const imported = (from: string) => `./${basename(addScript(posix.join(posix.dirname(file), from)))}`;
    add(
      name,
      javascript,
      text.replaceAll(/(\bfrom |\bimport )"(\.\.?\/[\w./]+\.js)"/g, (_, before: string, from: string) => `${before}"${imported(from)}"`),
    );
    return paths.get(name) ?? "";
  };
  for (const file of readdirSync(scripts, { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith(".js")))
    addScript(file.split(sep).join("/"));
  return {
    files,
    /** The address of `styles.css`, `htmx.js` or one of our own scripts; one in a folder is named `folder_script.js`. */
    path: (name: string): string => {
      const path = paths.get(name);
      if (path === undefined) throw new Error(`the portal has no asset ${name}`);
      return path;
    },
  };
}

const javascript = "text/javascript; charset=utf-8";

const withoutSourceMap = (script: string) => script.replace(/\n\/\/# sourceMappingURL=\S*\s*$/, "\n");

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 10l4 13 6-11 6 11 4-13" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** The name has a hash of the content in it: a browser never has to ask again. */
export function serveAsset(c: Context<AppEnv>, { files }: Pick<ReturnType<typeof readAssets>, "files">, name: string): Response {
  const asset = files.get(name);
  if (!asset) throw new Rejection("notFound", "There is no such file. Reload the page");
  const { body, headers: packing } = asset.packed(c);
  const caching = { "cache-control": "public, max-age=31536000, immutable" };
  const headers = { ...c.get("answerHeaders"), "content-type": asset.type, ...caching, ...packing };
  return new Response(c.req.method === "HEAD" ? null : body, { status: 200, headers });
}
