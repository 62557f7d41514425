import type { Page } from "./page.js";

export const openApiPage = (document: () => unknown): Page => ({ path: "/openapi.json", handler: (c) => c.json(document() as object) });
