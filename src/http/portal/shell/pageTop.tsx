import type { PageHead } from "../pageDefinition.js";
import { Link } from "./parts.js";

/** The same things in the same place on every page. */
export const PageTop = ({ title, crumbs = [], action, views = [], menu = [] }: PageHead) => (
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
            // Opens without a script; one closes it again (`everyPage.ts`).
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
