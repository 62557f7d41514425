import type { Action } from "../../../domain/members.js";
import type { Visit } from "../pageDefinition.js";
import { Icon, type IconName } from "./icons.js";

export interface MenuEntry {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly access: Action;
  /** What the page is for, in a sentence on the page Help. */
  readonly about: string;
}

/** The menu, group by group, in its order. */
export const navigation: readonly { readonly heading?: string; readonly entries: readonly MenuEntry[] }[] = [
  {
    entries: [
      {
        path: "/portal",
        label: "Overview",
        icon: "overview",
        access: "look",
        about:
          "What needs attention, what is running, and how many rows came in on each of the last 30 days. A new organisation gets started here.",
      },
      {
        path: "/portal/imports",
        label: "Imports",
        icon: "imports",
        access: "look",
        about:
          "Every upload, from here or through the API, with its status, counts, rejected rows and history. An import can be cancelled or reversed here.",
      },
      {
        path: "/portal/upload",
        label: "Upload a file",
        icon: "upload",
        access: "operate",
        about:
          "Check a CSV or XLSX file of shipments or activities, then upload it. Checking records nothing. Own headings, dates such as 03/04/2026 and decimal commas are fine: the page recognises them, or asks once. Unusual rows and a file that was sent before are shown before anything is recorded.",
      },
      {
        path: "/portal/corrections",
        label: "Rejected rows",
        icon: "rejected",
        access: "look",
        about: "The rows that could not be accepted, with the reason for each. Correct them in the table and submit them, or dismiss them.",
      },
      {
        path: "/portal/quotes",
        label: "Quotes",
        icon: "quotes",
        access: "look",
        about: "Price a delivery for one or more customers, and see how each price was worked out. Earlier quotes are listed.",
      },
      {
        path: "/portal/shipments",
        label: "Shipments",
        icon: "shipments",
        access: "look",
        about: "Find a shipment by its id or customer, with its lines and every version it has had.",
      },
      {
        path: "/portal/activities",
        label: "Activities",
        icon: "activities",
        access: "look",
        about: "Billable activities by customer and charge code for a month, as a table, a printed bill or a download.",
      },
      {
        path: "/portal/catalogue",
        label: "Catalogue",
        icon: "catalogue",
        access: "look",
        about:
          "Customers, carriers, services, zones, rate cards and custom fields. Admins change them: you see the difference first, and then apply it. Every version is kept.",
      },
    ],
  },
  {
    heading: "Settings",
    entries: [
      {
        path: "/portal/settings/keys",
        label: "API keys",
        icon: "keys",
        access: "keys",
        about: "The keys that programs use to call the API: what each can do, when it was last used, and when it ends.",
      },
      {
        path: "/portal/settings/members",
        label: "Members",
        icon: "members",
        access: "members",
        about: "The people in your organisation. Invite them, change their role, or remove them.",
      },
      {
        path: "/portal/settings/webhooks",
        label: "Webhooks",
        icon: "webhooks",
        access: "webhooks",
        about: "Addresses of your own systems that get a message when an import starts, completes, fails, is cancelled or is reversed.",
      },
      {
        path: "/portal/settings/log",
        label: "Log",
        icon: "log",
        access: "log",
        about:
          "Who did what in your organisation and when: keys, members, sign-ins, webhooks, the catalogue, imports, corrections and reversals.",
      },
    ],
  },
  {
    entries: [
      {
        path: "/portal/help",
        label: "Help",
        icon: "help",
        access: "look",
        about: "What each page is for, the keyboard, and where to read more.",
      },
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
              {entries.map(({ path, label, icon }) => (
                <li>
                  <a href={visit.links.to(path)} aria-current={currentOf(visit.path, path)}>
                    <Icon name={icon} />
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
