import { groupedBy } from "../../../domain/groupedBy.js";
import type { Action } from "../../../domain/members.js";
import type { Visit } from "../pageDefinition.js";
import { Link, useVisit } from "./markup.js";

interface MenuEntry {
  readonly path: string;
  readonly label: string;
  /** The heading above the entries of this group. */
  readonly group?: string;
  /** What a person's role must allow. Left out for entries that every signed-in person sees. */
  readonly access?: Action;
  /** A decorative SVG path on a field of 20 by 20, drawn in the colour of the text beside it. */
  readonly icon: string;
  /** The description of the page on the page Help. */
  readonly about: string;
}

const group = "Settings"; // the only group with a heading
const helpPath = "/portal/help"; // its entry forms a group of its own

/** All entries, in the order of the menu. */
const menu: readonly MenuEntry[] = [
  {
    path: "/portal",
    label: "Overview",
    icon: "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
    about:
      "What needs attention, what is running, and how many rows came in on each of the last 30 days. A new organisation gets started here.",
  },
  {
    path: "/portal/imports",
    label: "Imports",
    icon: "M10 3v8m-3-3 3 3 3-3M3 12v4h14v-4",
    about:
      "Every upload, from here or through the API, with its status, counts, rejected rows and history. An import can be cancelled or reversed here.",
  },
  {
    path: "/portal/upload",
    label: "Upload a file",
    access: "operate",
    icon: "M10 12V4m-3 3 3-3 3 3M3 12v4h14v-4",
    about:
      "Check a CSV or XLSX file of shipments or activities, then upload it. Checking records nothing. Own headings, dates such as 03/04/2026 and decimal commas are fine: the page recognises them, or asks once. Unusual rows and a file that was sent before are shown before anything is recorded.",
  },
  {
    path: "/portal/corrections",
    label: "Rejected rows",
    icon: "M10 3 18 17H2zM10 8v4m0 2.4v.1",
    about: "The rows that could not be accepted, with the reason for each. Correct them in the table and submit them, or dismiss them.",
  },
  {
    path: "/portal/quotes",
    label: "Quotes",
    icon: "M3 3h7l7 7-7 7-7-7zM6.6 6.5v.1",
    about: "Price a delivery for one or more customers, and see how each price was worked out. Earlier quotes are listed.",
  },
  {
    path: "/portal/shipments",
    label: "Shipments",
    icon: "M2 5h9v9H2zM11 8h4l3 3v3h-7zM5.5 14a1.6 1.6 0 1 0 .01 0M14.5 14a1.6 1.6 0 1 0 .01 0",
    about: "Find a shipment by its id or customer, with its lines and every version it has had.",
  },
  {
    path: "/portal/activities",
    label: "Activities",
    icon: "M7 5h10M7 10h10M7 15h10M3 5h.1M3 10h.1M3 15h.1",
    about: "Billable activities by customer and charge code for a month, as a table, a printed bill or a download.",
  },
  {
    path: "/portal/catalogue",
    label: "Catalogue",
    icon: "M10 5c-2-1.5-4-2-7-2v12c3 0 5 .5 7 2 2-1.5 4-2 7-2V3c-3 0-5 .5-7 2zm0 0v12",
    about:
      "Customers, carriers, services, zones, rate cards and custom fields. Admins change them: you see the difference first, and then apply it. Every version is kept.",
  },
  {
    path: "/portal/settings/keys",
    label: "API keys",
    group,
    access: "keys",
    icon: "M7 17a4 4 0 1 1 .01 0M9.8 10.2 17 3m-3 3 2.5 2.5",
    about: "The keys that programs use to call the API: what each can do, when it was last used, and when it ends.",
  },
  {
    path: "/portal/settings/members",
    label: "Members",
    group,
    access: "members",
    icon: "M7 9a3 3 0 1 1 .01 0M2 17c0-3 2-5 5-5s5 2 5 5M13 9a3 3 0 1 0-1-5.8M14 12.2c2.4.5 4 2.3 4 4.8",
    about: "The people in your organisation. Invite them, change their role, or remove them.",
  },
  {
    path: "/portal/settings/webhooks",
    label: "Webhooks",
    group,
    access: "webhooks",
    icon: "M11 2 4 11h5l-1 7 8-10h-5z",
    about: "Addresses of your own systems that get a message when an import starts, completes, fails, is cancelled or is reversed.",
  },
  {
    path: "/portal/settings/log",
    label: "Log",
    group,
    access: "log",
    icon: "M10 18a8 8 0 1 1 .01 0M10 5v5l3 2",
    about:
      "Who did what in your organisation and when: keys, members, sign-ins, webhooks, the catalogue, imports, corrections and reversals.",
  },
  {
    path: helpPath,
    label: "Help",
    icon: "M10 18a8 8 0 1 1 .01 0M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7m0 2.5v.1",
    about: "What each page is for, the keyboard, and where to read more.",
  },
];

/** The menu entries that the person's role allows. */
export const visibleMenu = ({ may }: Visit): readonly MenuEntry[] => menu.filter(({ access = "look" }) => may(access));

export function Navigation() {
  const visit = useVisit();
  return (
    <>
      {[...groupedBy(visibleMenu(visit), ({ group: heading, path }) => heading ?? path === helpPath)].map(([heading, entries]) => (
        <div class="nav-group">
          {typeof heading === "string" ? <span class="nav-heading">{heading}</span> : null}
          <ul>
            {entries.map(({ path, label, icon }) => (
              <li>
                <Link to={path} aria-current={currentOf(visit.path, path)}>
                  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
                    <path d={icon} />
                  </svg>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** The value of aria-current: `page` for the page itself, `true` for a page below it. */
const currentOf = (here: string, path: string) =>
  here === path ? "page" : path !== "/portal" && here.startsWith(`${path}/`) ? "true" : undefined;
