// What the pages of the documentation have in common.
import type { Child } from "hono/jsx";

export interface DocumentPage {
  readonly title: string;
  readonly heading: string;
  /** The path from the page to its styles and scripts: empty, or with a slash at its end. */
  readonly files: string;
  readonly script?: string;
  readonly links: readonly { readonly to: string; readonly text: string }[];
  /** The navigation and the main part. */
  readonly children: Child;
}

export function documentPage({ title, heading, files, script, links, children }: DocumentPage): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`${files}reference.css`} />
        {script ? <script type="module" src={`${files}${script}`} /> : null}
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
