// The forms on a page, as a browser would send them untouched.
export interface RenderedForm {
  readonly method: "get" | "post";
  /** Without the host. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s/>])`).exec(tag);
  return found ? unescaped(found[1] ?? "") : undefined;
};

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

export function formsIn(page: string): RenderedForm[] {
  return [...page.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gs)].map(([, head = "", inside = ""]) => ({
    method: attribute(head, "method")?.toLowerCase() === "post" ? "post" : "get",
    action: attribute(head, "action") ?? "",
    fields: Object.fromEntries([...inputs(inside), ...selects(inside)]),
  }));
}

function* inputs(inside: string): Generator<[string, string]> {
  for (const [tag] of inside.matchAll(/<(?:input|button|textarea)\b[^>]*>/g)) {
    const name = attribute(tag, "name");
    if (name !== undefined) yield [name, attribute(tag, "value") ?? ""];
  }
}

function* selects(inside: string): Generator<[string, string]> {
  for (const [, head = "", options = ""] of inside.matchAll(/(<select\b[^>]*>)(.*?)<\/select>/gs)) {
    const tags = [...options.matchAll(/<option\b[^>]*>/g)].map(([tag]) => tag);
    const chosen = tags.find((tag) => attribute(tag, "selected") !== undefined) ?? tags[0] ?? "";
    yield [attribute(head, "name") ?? "", attribute(chosen, "value") ?? ""];
  }
}
