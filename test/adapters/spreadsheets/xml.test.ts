import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";
import { createXmlParser } from "../../../src/adapters/spreadsheets/xlsx/xml.js";

const local = (name: string) => name.slice(name.lastIndexOf(":") + 1);

/** Every event as a line, neighbouring texts joined; null when the document is refused. */
function ours(pieces: readonly string[]): string[] | null {
  const events: string[] = [];
  const parser = createXmlParser({
    open: (name, attributes) => events.push(`<${name} ${JSON.stringify(attributes.entries())}`),
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

function theirs(document: string): string[] | null {
  const events: string[] = [];
  const parser = new SaxesParser({ xmlns: false as const });
  let depth = 0;
  parser.on("opentag", (tag) => {
    depth += 1;
    events.push(`<${local(tag.name)} ${JSON.stringify(Object.entries(tag.attributes))}`);
  });
  parser.on("closetag", (tag) => {
    depth -= 1;
    events.push(`>${local(tag.name)}`);
  });
  parser.on("text", (text) => depth > 0 && events.push(`"${text}`));
  parser.on("cdata", (text) => depth > 0 && events.push(`"${text}`));
  try {
    parser.write(document).close();
    return joined(events);
  } catch {
    return null;
  }
}

function joined(events: string[]): string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.startsWith('"') && lines.at(-1)?.startsWith('"')) lines.push(`${lines.pop()}${event.slice(1)}`);
    else lines.push(event);
  }
  return lines.filter((line) => line !== '"');
}

const text = fc.constantFrom(
  "x",
  " ",
  "é",
  "\n",
  "\r\n",
  "&amp;",
  "&#65;",
  "&#x1F69A;",
  "<![CDATA[<&]]>",
  "<!-- - -->",
  "<?pi a?>",
  "a=b",
  "'",
  '"',
  ">",
);
const value = fc.constantFrom("", "1", "A2", "x y", "&lt;&quot;", "&#10;", "'", "/", ">", "é");
const attributes = fc.uniqueArray(fc.tuple(fc.constantFrom("r", "s", "t", "x:id", "n"), value), {
  selector: ([name]) => name,
  maxLength: 3,
});
const element = fc.letrec((tie) => ({
  node: fc.oneof({ depthSize: "small" }, text, tie("element")),
  element: fc
    .tuple(fc.constantFrom("c", "v", "x:row", "is"), attributes, fc.array(tie("node"), { maxLength: 4 }), fc.constantFrom("", " ", "\n"))
    .map(([name, list, children, space]) => {
      const head = `<${name}${list.map(([key, text]) => ` ${key}="${text}"`).join("")}${space}`;
      return children.length === 0 ? `${head}/>` : `${head}>${children.join("")}</${name}${space}>`;
    }),
})).element as fc.Arbitrary<string>;

describe("markup", () => {
  it("is read as a general XML parser reads it", () => {
    fc.assert(
      fc.property(element, (document) => {
        expect(ours([document])).toEqual(theirs(document));
      }),
      { numRuns: 2000 },
    );
  });

  it("that a general parser accepts is never refused, and is read the same", () => {
    const soup = fc.array(
      fc.constantFrom(
        "<a>",
        "</a>",
        "<b/>",
        "<",
        ">",
        "/",
        "x",
        " ",
        '"',
        "&amp;",
        "&",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<a ",
        'k="',
        "=",
        "?>",
        "<?p",
      ),
      {
        maxLength: 9,
      },
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const document = `<a>${parts.join("")}</a>`;
        const reading = theirs(document);
        if (reading !== null) expect(ours([document])).toEqual(reading);
      }),
      { numRuns: 5000 },
    );
  });

  it("reads the same however it is cut into pieces", () => {
    fc.assert(
      fc.property(element, fc.array(fc.nat(60), { maxLength: 6 }), (document, cuts) => {
        const edges = [0, ...cuts.map((cut) => Math.min(cut, document.length)).sort((a, b) => a - b), document.length];
        expect(ours(edges.slice(1).map((edge, index) => document.slice(edges[index], edge)))).toEqual(ours([document]));
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
  ])("%j is refused", (document) => {
    expect(ours([document])).toBe(null);
  });
});
