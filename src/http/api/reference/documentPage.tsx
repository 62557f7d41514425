// The frame that the pages of the documentation share, and the page of docs/guide.md.
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { Marked } from "marked";

export interface DocumentPage {
  readonly title: string;
  readonly heading: string;
  /** The path from the page to its styles and scripts: empty, or with a slash at its end. */
  readonly filesPath: string;
  readonly script?: string;
  readonly links: readonly { readonly to: string; readonly text: string }[];
  /** The navigation and the main part. */
  readonly children: Child;
}

export function documentPage({ title, heading, filesPath, script, links, children }: DocumentPage): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`${filesPath}reference.css`} />
        {script ? <script type="module" src={`${filesPath}${script}`} /> : null}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <h1>{heading}</h1>
          {links.map(({ to, text }) => (
            <a href={to}>{text}</a>
          ))}
        </header>
        {children}
      </body>
    </html>
  );
  return `<!doctype html>${page}`;
}

const headingId = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    /** Links to other files of the repository become plain text, since those files are not served. */
    link({ tokens, href }) {
      const text = this.parser.parseInline(tokens);
      return href.endsWith(".md") ? text : `<a href="${href}">${text}</a>`;
    },
    /** Focusable, so that long lines can be scrolled with the keyboard. */
    code({ text, lang = "" }) {
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return `<pre tabindex="0"><code class="language-${lang}">${escaped}</code></pre>\n`;
    },
  },
});

/** docs/guide.md as a page of the reference. */
export function guidePage(text: string): string {
  const [title = "", ...rest] = text.replace(/^# /, "").split("\n");
  const steps = rest.flatMap((line) => (line.startsWith("## ") ? [line.slice(3)] : []));
  return documentPage({
    title: `${title} - Waybill`,
    heading: title,
    filesPath: "",
    links: [
      { to: "../docs", text: "API reference" },
      { to: "../portal", text: "Portal" },
    ],
    children: (
      <>
        <nav aria-label="Contents">
          <ul>
            {steps.map((step) => (
              <li>
                <a href={`#${headingId(step)}`}>{step}</a>
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
