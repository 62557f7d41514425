import { expect, test } from "vitest";
import { Code } from "../../../../src/http/api/reference/operationView.js";
import { codeSamples } from "../../../../src/http/api/reference/samples.js";

const markup = (text: string) => String(Code({ text }));
const textIn = (html: string) =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

test("keys, texts, numbers and words of a language are told apart", () => {
  expect(markup('{ "a": "b", "n": 1.5, "t": true }')).toBe(
    '<pre tabindex="0"><code>{ <span class="code-key">&quot;a&quot;</span>: <span class="code-text">&quot;b&quot;</span>, <span class="code-key">&quot;n&quot;</span>: ' +
      '<span class="code-number">1.5</span>, <span class="code-key">&quot;t&quot;</span>: <span class="code-word">true</span> }</code></pre>',
  );
});

test("code reads the same with its colours, also where it holds markup, open quotes and long texts", () => {
  const call = { method: "POST", url: "https://x.test/a?b=1&c=2", body: { text: `it's <b>"quoted"</b> & 'more'`, n: 12 } };
  const texts = [...codeSamples(call).map(({ text }) => text), "'", '"', 'a "b', "\\", '"\\', `"${"x".repeat(50_000)}`, ""];
  for (const text of texts) expect(textIn(markup(text))).toBe(text);
});
