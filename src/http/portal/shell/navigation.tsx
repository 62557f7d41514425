import { navigation } from "../pages/navigation.js";
import type { Visit } from "../visit.js";

/** Only what exists and what the person's role may look at. */
export function Navigation({ visit }: { visit: Visit }) {
  const shown = navigation.map(({ heading, entries }) => ({ heading, entries: entries.filter(({ access }) => visit.may(access)) }));
  return (
    <>
      {shown
        .filter(({ entries }) => entries.length > 0)
        .map(({ heading, entries }) => (
          <div class="nav-group">
            {heading ? <span class="nav-heading">{heading}</span> : null}
            <ul>
              {entries.map(({ path, label }) => (
                <li>
                  <a href={visit.links.to(path)} aria-current={currentOf(visit.path, path)}>
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </>
  );
}

/** The page itself, or one that is reached from it. */
const currentOf = (here: string, path: string) =>
  here === path ? "page" : path !== "/portal" && here.startsWith(`${path}/`) ? "true" : undefined;
