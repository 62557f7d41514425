import type { PageHead } from "../pageDefinition.js";
import { Link } from "./parts.js";

/** The top of a page: the pages above it, its title, its main action, a menu, its views. */
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
          <Menu items={menu} />
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

/** Opens without a script. The script `browser/everyPage.ts` closes it. */
export const Menu = ({ items, label = "More" }: { items: NonNullable<PageHead["menu"]>; label?: string }) =>
  items.length === 0 ? null : (
    <details class="menu">
      <summary class="button quiet">{label}</summary>
      <ul>
        {items.map(({ label: item, to, ...rest }) => (
          <li>
            <Link to={to} {...rest}>
              {item}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
