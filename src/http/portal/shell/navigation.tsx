import type { Action } from "../../../domain/members.js";
import type { Visit } from "../page.js";

/** The menu, group by group, in its order. */
const navigation: readonly { readonly heading?: string; readonly entries: readonly { path: string; label: string; access: Action }[] }[] = [
  {
    entries: [
      { path: "/portal", label: "Overview", access: "look" },
      { path: "/portal/imports", label: "Imports", access: "look" },
      { path: "/portal/upload", label: "Upload a file", access: "operate" },
      { path: "/portal/corrections", label: "Rejected rows", access: "look" },
      { path: "/portal/quotes", label: "Quotes", access: "look" },
      { path: "/portal/shipments", label: "Shipments", access: "look" },
      { path: "/portal/activities", label: "Activities", access: "look" },
      { path: "/portal/catalogue", label: "Catalogue", access: "look" },
    ],
  },
  {
    heading: "Settings",
    entries: [
      { path: "/portal/settings/keys", label: "API Keys", access: "keys" },
      { path: "/portal/settings/members", label: "Members", access: "members" },
      { path: "/portal/settings/webhooks", label: "Webhooks", access: "webhooks" },
    ],
  },
];

/** Only what the person's role may look at. */
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
