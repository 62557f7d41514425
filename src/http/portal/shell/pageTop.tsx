import type { PageHead, Visit } from "../pageDefinition.js";

/** The same things in the same place on every page. */
export const PageTop = ({
  links,
  head: { title, crumbs = [], action, views = [], menu = [] },
}: {
  links: Visit["links"];
  head: PageHead;
}) => (
  <>
    {crumbs.length === 0 ? null : (
      <nav class="crumbs" aria-label="You are here">
        {crumbs.map(([label, path]) => (
          <a href={links.to(path)}>{label}</a>
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
          <a href={to} aria-current={current ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
    )}
  </>
);

/** Opens without a script; one closes it again (`everyPage.ts`). */
export const Menu = ({ items, label = "More" }: { items: NonNullable<PageHead["menu"]>; label?: string }) =>
  items.length === 0 ? null : (
    <details class="menu">
      <summary class="button quiet">{label}</summary>
      <ul>
        {items.map(({ label: item, to, ...rest }) => (
          <li>
            <a href={to} {...rest}>
              {item}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
