import { describeApi } from "../document/describeApi.js";
import type { Route } from "../route.js";
import type { Page } from "./page.js";

export function openApiPage(routes: readonly Route[], publicUrl: string): Page {
  const document = describeApi(routes, publicUrl);
  return { path: "/openapi.json", handler: (c) => c.json(document) };
}
