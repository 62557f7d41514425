import { limits } from "../../../domain/imports/limits.js";
import type { Notice, PageContent, PageHead } from "../pageDefinition.js";
import { Button, Form } from "./form.js";
import { ButtonLink, Link, OneTimeSecret, PlainList, Sentence, useVisit } from "./markup.js";
import { Navigation } from "./navigation.js";

/** The HTML document of every page. For a signed-out visitor it is a narrow column without navigation. */
export function Layout({ content }: { content: PageContent }) {
  const { person, assets, links, formToken, notice } = useVisit();
  const { title, scripts = [], body, question } = content;
  const asset = (name: string) => links.to(assets.path(name));
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="htmx-config" content={htmxConfig} />
        {person && <meta name="form-token" content={formToken} />}
        <title>{person ? `${title} - ${person.organisationName} - Waybill` : `${title} - Waybill`}</title>
        <link rel="icon" type="image/svg+xml" href={asset("icon.svg")} />
        <link rel="stylesheet" href={asset("styles.css")} />
        <script src={asset("htmx.js")} defer />
        <script type="module" src={asset("everyPage.js")} />
        {scripts.map((name) => (
          <script type="module" src={asset(name)} />
        ))}
      </head>
      <body class={person ? "signed-in" : "signed-out"}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Header />
        <main id="main" tabindex={-1}>
          <PageTop {...content} />
          <NoticeBox notice={notice} />
          {notice?.once ? <OneTimeSecret {...notice.once} /> : null}
          {question === undefined ? null : <div id="question">{question}</div>}
          {body}
          {person ? <p class="hint zone">Times and days are those of {person.timezone}.</p> : null}
        </main>
      </body>
    </html>
  );
}

export const searchPath = "/portal/search";
/** The longest text to search for: as long as an id may be. */
export const maxSearchLength = limits.identifierLength;

/** Turns off htmx's inline style, which the page's content security policy would refuse. */
const htmxConfig = JSON.stringify({ includeIndicatorCSS: false, mode: "same-origin" });

/** The product's logo: a W drawn as a route with five stops. */
const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" />
    <path d="M6 10l4 13 6-11 6 11 4-13" />
  </svg>
);

function Header() {
  const { person, links, path, query } = useVisit();
  const brand = [<Logo />, "Waybill"];
  if (!person)
    return (
      <header class="top">
        <span class="brand">{brand}</span>
      </header>
    );
  return (
    <header class="top">
      <Link class="brand" to="/portal">
        {brand}
      </Link>
      <span class="organisation">{person.organisationName}</span>
      <search class="search">
        <form method="get" action={links.to(searchPath)}>
          <input
            type="search"
            name="q"
            aria-label="Search"
            aria-keyshortcuts="/"
            placeholder="Search"
            title="Press / to search"
            maxlength={maxSearchLength}
            value={path === searchPath ? query["q"] : undefined}
            autocomplete="off"
            required
          />
        </form>
      </search>
      <nav class="wide" aria-label="Main">
        <Navigation />
      </nav>
      <details class="narrow">
        <summary>Menu</summary>
        <span class="organisation">{person.organisationName}</span>
        <nav aria-label="Main">
          <Navigation />
          <Account />
        </nav>
      </details>
      <div class="wide account">
        <Account />
      </div>
    </header>
  );
}

function Account() {
  const { person, path } = useVisit();
  if (!person) return null;
  return (
    <Form to="/portal/sign-out" class="account-form">
      <span class="who">
        {person.name} <span class="muted">{person.role}</span>
      </span>
      <div class="button-row">
        <ButtonLink to="/portal/account" label="Account" quiet aria-current={path === "/portal/account" ? "page" : undefined} />
        <Button class="quiet" label="Sign out" />
      </div>
    </Form>
  );
}

/** The outcome of the last form. Screen readers announce it when the page opens. */
function NoticeBox({ notice }: { notice: Notice | undefined }) {
  if (!notice) return null;
  const [first, ...more] = notice.lines;
  return (
    <div class={`notice ${notice.kind}`} role={notice.kind === "error" ? "alert" : "status"}>
      <p>{first === undefined ? null : <Sentence text={first} />}</p>
      {more.length > 0 ? <PlainList class="" items={more.map((line) => <Sentence text={line} />)} /> : null}
    </div>
  );
}

const PageTop = ({ title, crumbs = [], action, views = [], menu = [] }: PageHead) => (
  <>
    {crumbs.length === 0 ? null : (
      <nav class="crumbs" aria-label="You are here">
        {crumbs.map(([label, path]) => (
          <Link to={path}>{label}</Link>
        ))}
      </nav>
    )}
    <div class="page-top">
      <h1>{title}</h1>
      {menu.length === 0 && !action ? null : (
        <div class="page-actions">
          {menu.length === 0 ? null : (
            // A person can open the menu without scripts. browser/everyPage.ts closes it after a click elsewhere, and on Escape.
            <details class="menu">
              <summary class="button quiet">More</summary>
              <ul>
                {menu.map(({ label, to, ...rest }) => (
                  <li>
                    <Link to={to} {...rest}>
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </details>
          )}
          {action}
        </div>
      )}
    </div>
    {views.length === 0 ? null : (
      <nav class="segments" aria-label="Views">
        {views.map(({ label, to, current }) => (
          <Link to={to} aria-current={current ? "page" : undefined}>
            {label}
          </Link>
        ))}
      </nav>
    )}
  </>
);
