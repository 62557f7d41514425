// Pages that are not in the contract and need no key: health, metrics, links and the API reference.
import type { ApiDeps } from "../deps.js";
import type { Route } from "../route.js";
import { docsPages } from "./docs.js";
import { filePages } from "./files.js";
import { healthPages } from "./health.js";
import { openApiPage } from "./openApi.js";
import type { Page } from "./page.js";

export const pages = (deps: ApiDeps, routes: readonly Route[]): readonly Page[] => [
  ...healthPages(deps),
  openApiPage(routes, deps.publicUrl),
  ...docsPages(routes, deps.publicUrl),
  ...filePages(deps),
];
