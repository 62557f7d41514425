import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createXmlParser } from "../../../src/adapters/spreadsheets/xlsx/xml.js";

/** Every event as a line, neighbouring texts joined; null when the document is refused. */
function read(pieces: readonly string[]): string[] | null {
  const events: string[] = [];
  const parser = createXmlParser({
    open: (name, attributes) => events.push(opened(name, Object.entries(attributes))),
    close: (name) => events.push(`>${name}`),
    text: (text) => events.push(`"${text}`),
  });
  try {
    for (const piece of pieces) parser.write(piece);
    parser.end();
    return joined(events);
  } catch (error) {
    expect((error as Error).name).toBe("FileFault");
    return null;
  }
}

const opened = (name: string, attributes: [string, string][]) => `<${name} ${JSON.stringify(attributes)}`;

function joined(events: string[]): string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.startsWith('"') && lines.at(-1)?.startsWith('"')) lines.push(`${lines.pop()}${event.slice(1)}`);
    else lines.push(event);
  }
  return lines.filter((line) => line !== '"');
}

/** A document, or a part of one, and the events that XML says it has. */
type Written = { readonly xml: string; readonly events: string[] };

const text = fc
  .constantFrom(
    ["x", "x"],
    [" ", " "],
    ["é", "é"],
    ["\n", "\n"],
    ["\r\n", "\n"],
    ["&amp;", "&"],
    ["&#65;", "A"],
    ["&#x1F69A;", "\u{1F69A}"],
    ["<![CDATA[<&]]>", "<&"],
    ["<!-- - -->", ""],
    ["<?pi a?>", ""],
    ["a=b", "a=b"],
    ["'", "'"],
    ['"', '"'],
    [">", ">"],
  )
  .map(([xml = "", meaning]): Written => ({ xml, events: [`"${meaning}`] }));
const value = fc.constantFrom(
  ["", ""],
  ["1", "1"],
  ["A2", "A2"],
  ["x y", "x y"],
  ["&lt;&quot;", '<"'],
  ["&#10;", "\n"],
  ["'", "'"],
  ["/", "/"],
  [">", ">"],
  ["é", "é"],
);
const attributes = fc.uniqueArray(fc.tuple(fc.constantFrom("r", "s", "t", "x:id", "n"), value), {
  selector: ([name]) => name,
  maxLength: 3,
});
const element = fc.letrec<{ node: Written; element: Written }>((tie) => ({
  node: fc.oneof({ depthSize: "small" }, text, tie("element")),
  element: fc
    .tuple(fc.constantFrom("c", "v", "x:row", "is"), attributes, fc.array(tie("node"), { maxLength: 4 }), fc.constantFrom("", " ", "\n"))
    .map(([name, list, children, space]): Written => {
      const head = `<${name}${list.map(([key, [xml]]) => ` ${key}="${xml}"`).join("")}${space}`;
      const inside = children.map(({ xml }) => xml).join("");
      const local = name.replace("x:", "");
      return {
        xml: children.length === 0 ? `${head}/>` : `${head}>${inside}</${name}${space}>`,
        events: [
          opened(
            local,
            list.map(([key, [, meaning = ""]]) => [key, meaning]),
          ),
          ...children.flatMap(({ events }) => events),
          `>${local}`,
        ],
      };
    }),
})).element;

describe("markup", () => {
  it("is read as XML says", () => {
    fc.assert(
      fc.property(element, ({ xml, events }) => {
        expect(read([xml])).toEqual(joined(events));
      }),
      { numRuns: 2000 },
    );
  });

  it("reads the same however it is cut into pieces", () => {
    fc.assert(
      fc.property(element, fc.array(fc.nat(60), { maxLength: 6 }), ({ xml, events }, cuts) => {
        const edges = [0, ...cuts.map((cut) => Math.min(cut, xml.length)).sort((a, b) => a - b), xml.length];
        expect(read(edges.slice(1).map((edge, index) => xml.slice(edges[index], edge)))).toEqual(joined(events));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    "",
    "x",
    "<a>",
    "<a></b>",
    "<a/><b/>",
    "<a/>x",
    "<a b></a>",
    "<a b=c/>",
    '<a b="<"/>',
    "<a/b>",
    "<a>&x;</a>",
    "<a>&amp</a>",
    "<a>&#xD800;</a>",
    "</a>",
    "<>",
    "< a/>",
    "<a><!x></a>",
    '<?xml version="1.1"?><a>&#1;</a>',
    "<a>\ufffe</a>",
    "<!DOCTYPE a><a/>",
  ])("%j is refused", (document) => {
    expect(read([document])).toBe(null);
  });
});
