import type { Action } from "../../../domain/members.js";

interface Entry {
  readonly path: string;
  readonly label: string;
  readonly access: Action;
}

/** The menu, group by group, in its order. */
export const navigation: readonly { readonly heading?: string; readonly entries: readonly Entry[] }[] = [
  {
    entries: [
      { path: "/portal", label: "Overview", access: "look" },
      { path: "/portal/imports", label: "Imports", access: "look" },
      { path: "/portal/upload", label: "Upload a file", access: "operate" },
      { path: "/portal/corrections", label: "Rejected rows", access: "look" },
      { path: "/portal/quotes", label: "Quotes", access: "look" },
      { path: "/portal/shipments", label: "Shipments", access: "look" },
      { path: "/portal/activities", label: "Activities", access: "look" },
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

/** Whether the menu has this page: others link to it only then. */
export const isInMenu = (path: string): boolean => navigation.some(({ entries }) => entries.some((entry) => entry.path === path));
