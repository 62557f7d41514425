// docs/guide.md as a page of the reference.
import { raw } from "hono/html";
import { Marked } from "marked";

const idOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    /** The other files of the repository are not served. */
    link({ tokens, href }) {
      const text = this.parser.parseInline(tokens);
      return href.endsWith(".md") ? text : `<a href="${href}">${text}</a>`;
    },
    /** Has the focus, so that long lines can be scrolled with the keyboard. */
    code({ text, lang = "" }) {
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return `<pre tabindex="0"><code class="language-${lang}">${escaped}</code></pre>\n`;
    },
  },
});

export function guidePage(text: string): string {
  const [title = "", ...rest] = text.replace(/^# /, "").split("\n");
  const steps = rest.flatMap((line) => (line.startsWith("## ") ? [line.slice(3)] : []));
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} - Waybill`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="reference.css" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <h1>{title}</h1>
          <a href="../docs">API reference</a>
        </header>
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
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
}
