import type { Context } from "hono";
import { Rejection } from "../../domain/rejection.js";
import type { AppEnv } from "../server/requestFrame.js";
import type { Assets } from "./assets.js";

/** The name has a hash of the content in it: a browser never has to ask again. */
export function serveAsset(c: Context<AppEnv>, { files }: Assets, name: string): Response {
  const asset = files.get(name);
  if (!asset) throw new Rejection("notFound", "There is no such file. Reload the page");
  const headers = { ...c.get("answerHeaders"), "content-type": asset.type, "cache-control": "public, max-age=31536000, immutable" };
  return new Response(c.req.method === "HEAD" ? null : asset.body, { status: 200, headers });
}
