import { type FC, jsx } from "hono/jsx";
import type { Visit } from "../../../src/http/portal/pageDefinition.js";
import { VisitContext } from "../../../src/http/portal/shell/markup.js";

/** A part of a page by itself, as HTML, for a visit of which it needs no more than this. */
export const renderPart = <Props extends object>(part: (props: Props) => unknown, props: Props, visit: Partial<Visit>): string =>
  String(jsx(VisitContext.Provider, { value: visit as Visit }, jsx(part as FC<Props>, props)));
