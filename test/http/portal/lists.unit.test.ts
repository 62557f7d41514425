import { expect, test } from "vitest";
import { Chips } from "../../../src/http/portal/shell/chips.js";
import { Pager, withQuery } from "../../../src/http/portal/shell/markup.js";
import { renderPart } from "../../support/portal/renderPart.js";

const links = { to: (path: string) => `/logistics${path}` };
const address = (cursor: string | undefined) =>
  links.to(withQuery("/portal/imports", { kind: "shipments", status: "", reference: undefined, cursor }));

test("an address has the parameters that have a value, escaped, behind those that the path has already", () => {
  expect(withQuery("/portal/imports", { kind: "", cursor: undefined })).toBe("/portal/imports");
  expect(withQuery("/portal/catalogue?list=carriers", { search: "a&b" })).toBe("/portal/catalogue?list=carriers&search=a%26b");
  expect(address("x")).toBe("/logistics/portal/imports?kind=shipments&cursor=x");
});

test.each([
  { of: "a list on one page", isFirst: true, nextCursor: null, pages: [] },
  { of: "a first page", isFirst: true, nextCursor: "b", pages: ["Next page"] },
  { of: "a page between", isFirst: false, nextCursor: "b", pages: ["First page", "Next page"] },
  { of: "a last page", isFirst: false, nextCursor: null, pages: ["First page"] },
])("$of links to $pages", ({ isFirst, nextCursor, pages }) => {
  const html = renderPart(Pager, { plural: "imports", isFirst, nextCursor, path: () => "/portal/imports" }, { links });
  expect([...html.matchAll(/>([^<]+)<\/a>/g)].map(([, label]) => label)).toEqual(pages);
});

test("a form that filters keeps the parameters it does not show, and offers the whole list where something is filtered", () => {
  const form = (query: Record<string, string>) =>
    renderPart(
      Chips,
      { path: "/portal/x", keptQuery: { view: "rows", by: "" }, chips: [{ name: "q", label: "Q", kind: "text", maxlength: 9 }] },
      { links, query },
    );
  expect(form({})).toContain('<input type="hidden" name="view" value="rows"/>');
  expect(form({})).not.toContain('name="by"');
  expect(form({})).not.toContain("Show all");
  expect(form({ q: "a" })).toContain('href="/logistics/portal/x?view=rows" class="chips-all">Show all</a>');
});
