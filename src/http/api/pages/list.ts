// Pages that are not in the contract and need no key: health, metrics, links and the API reference.
import { compressedOnce } from "../../server/compress.js";
import type { ApiDeps } from "../deps.js";
import { describeApi } from "../document/describeApi.js";
import type { Page, Route } from "../route.js";
import { docsPages } from "./docs.js";
import { filePages } from "./files.js";
import { healthPages } from "./health.js";

export function pages(deps: ApiDeps, routes: readonly Route[]): readonly Page[] {
  let described: object | undefined;
  const document = () => {
    described ??= describeApi(routes, deps.publicUrl);
    return described;
  };
  let packed: ReturnType<typeof compressedOnce> | undefined;
  const openApi: Page = {
    path: "/openapi.json",
    handler: (c) => {
      packed ??= compressedOnce(JSON.stringify(document()));
      const { body, headers } = packed(c);
      return c.body(body, 200, { "content-type": "application/json", ...headers });
    },
  };
  return [...healthPages(deps), openApi, ...docsPages(document, deps.publicUrl), ...filePages(deps)];
}
