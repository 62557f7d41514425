// docs/guide.md as a page of the reference.
import { raw } from "hono/html";
import { Marked } from "marked";
import { documentPage } from "./documentPage.js";

const idOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    /** Links to other files of the repository become plain text, since those files are not served. */
    link({ tokens, href }) {
      const text = this.parser.parseInline(tokens);
      return href.endsWith(".md") ? text : `<a href="${href}">${text}</a>`;
    },
    /** Can have the focus, so that long lines can be scrolled with the keyboard. */
    code({ text, lang = "" }) {
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return `<pre tabindex="0"><code class="language-${lang}">${escaped}</code></pre>\n`;
    },
  },
});

export function guidePage(text: string): string {
  const [title = "", ...rest] = text.replace(/^# /, "").split("\n");
  const steps = rest.flatMap((line) => (line.startsWith("## ") ? [line.slice(3)] : []));
  return documentPage({
    title: `${title} - Waybill`,
    heading: title,
    files: "",
    links: [{ to: "../docs", text: "API reference" }],
    children: (
      <>
        <nav aria-label="Contents">
          <ul>
            {steps.map((step) => (
              <li>
                <a href={`#${idOf(step)}`}>{step}</a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main" tabindex={-1} class="walk">
          {raw(markdown.parse(rest.join("\n"), { async: false }))}
        </main>
      </>
    ),
  });
}
