import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    everyCase: boolean;
  }
}

/** True in the project `long`. Elsewhere a test with many similar cases runs a sample; NAME.long.test.ts beside it imports it and so runs all. */
export const everyCase = inject("everyCase");
