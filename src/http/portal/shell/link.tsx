// The visit for which a page is rendered, and what leads from it. Paths become addresses here and in forms, and nowhere before.
import { type Child, createContext, useContext } from "hono/jsx";
import type { Visit } from "../pageDefinition.js";

export const VisitContext = createContext<Visit | undefined>(undefined);

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error("a part of a page was rendered without its page");
  return visit;
}

interface LinkProps {
  /** A path of the portal. */
  readonly to: string;
  readonly [attribute: string]: unknown;
}

export const Link = ({ to, children, ...rest }: LinkProps & { children: Child }) => (
  <a href={useVisit().links.to(to)} {...rest}>
    {children}
  </a>
);

/** Looks like a button, and leads to a page or to a file. */
export const ButtonLink = ({ to, label, quiet, ...rest }: LinkProps & { label: string; quiet?: boolean }) => (
  <a class={quiet ? "button quiet" : "button"} href={useVisit().links.to(to)} {...rest}>
    {label}
  </a>
);
