// The portal's pages as tests open them. Every pattern of the portal's own list has an entry here: a test compares the two.
import type { Role } from "../../../src/domain/members.js";
import { endpointUrl, pausedUrl } from "./portalEndpoints.js";
import { retailOf } from "./portalImports.js";
import type { PortalStage } from "./portalStage.js";

export interface OpenablePage {
  /** As in the portal's list of pages. */
  readonly path: string;
  /** For the screenshots' names. */
  readonly name: string;
  readonly heading: string;
  /** The title of the dialog, for a page that opens with a question. */
  readonly asks?: string;
  /** The dialog says something and asks nothing. */
  readonly onlyCloses?: true;
  /** The role it is opened as; undefined for a page that needs no sign-in. */
  readonly as: Role | undefined;
  readonly address: (stage: PortalStage) => string;
}

export const openablePages: readonly OpenablePage[] = [
  { path: "/portal/sign-in", name: "sign-in", heading: "Sign in", as: undefined, address: () => "/portal/sign-in" },
  {
    path: "/portal/join/{token}",
    name: "join",
    heading: "Choose a password",
    as: undefined,
    address: ({ joinToken }) => `/portal/join/${joinToken}`,
  },
  { path: "/portal", name: "overview", heading: "Overview", as: "viewer", address: () => "/portal" },
  { path: "/portal/imports", name: "imports", heading: "Imports", as: "operator", address: () => "/portal/imports" },
  {
    path: "/portal/imports",
    name: "imports-filtered",
    heading: "Imports",
    as: "viewer",
    address: () => "/portal/imports?kind=shipments&status=failed&reference=nothing%20like%20it",
  },
  {
    path: "/portal/imports/{importId}",
    name: "import",
    heading: "tuesday-orders.csv",
    as: "operator",
    address: ({ importId }) => `/portal/imports/${importId}`,
  },
  {
    path: "/portal/imports/{importId}",
    name: "import-cancel",
    heading: "Nightly picks",
    asks: "Cancel this import?",
    as: "operator",
    address: ({ waitingId }) => `/portal/imports/${waitingId}?ask=cancel`,
  },
  {
    path: "/portal/imports/{importId}",
    name: "import-partly-reversed",
    heading: "July storage and handling.csv",
    as: "operator",
    address: ({ activitiesId }) => `/portal/imports/${activitiesId}`,
  },
  {
    path: "/portal/imports/{importId}/reverse",
    name: "reverse-import",
    heading: "Reverse import",
    as: "operator",
    address: ({ activitiesId }) => `/portal/imports/${activitiesId}/reverse`,
  },
  {
    path: "/portal/imports/{importId}/reverse",
    name: "reverse-rows",
    heading: "Reverse rows",
    as: "operator",
    address: ({ activitiesId }) => `/portal/imports/${activitiesId}/reverse?rows=5,9-12,402`,
  },
  {
    path: "/portal/imports/{importId}/history",
    name: "import-history",
    heading: "History",
    as: "viewer",
    address: ({ importId }) => `/portal/imports/${importId}/history`,
  },
  { path: "/portal/upload", name: "upload", heading: "Upload a file", as: "operator", address: () => "/portal/upload" },
  { path: "/portal/corrections", name: "rejected-rows", heading: "Rejected rows", as: "operator", address: () => "/portal/corrections" },
  {
    path: "/portal/corrections",
    name: "rejected-rows-none",
    heading: "Rejected rows",
    as: "viewer",
    address: () => "/portal/corrections?kind=activities&state=dismissed",
  },
  {
    path: "/portal/activities",
    name: "activities",
    heading: "Activities",
    as: "viewer",
    address: () => "/portal/activities?month=2026-07",
  },
  {
    path: "/portal/activities",
    name: "activities-by-warehouse",
    heading: "Activities",
    as: "viewer",
    address: ({ organisationId }) => `/portal/activities?from=2026-07-01&to=2026-07-15&by=warehouse&customer=${retailOf(organisationId)}`,
  },
  {
    path: "/portal/activities",
    name: "activities-rows",
    heading: "Activities",
    as: "viewer",
    address: () => "/portal/activities?month=2026-07&view=rows&charge=PICK",
  },
  {
    path: "/portal/activities",
    name: "activities-as-of",
    heading: "Activities",
    as: "viewer",
    address: () => "/portal/activities?month=2026-07&asOf=2026-08-05T09:00",
  },
  {
    path: "/portal/activities",
    name: "activities-changes",
    heading: "Activities",
    as: "viewer",
    address: () => "/portal/activities?month=2026-07&since=2026-07-01T00:00",
  },
  {
    path: "/portal/activities",
    name: "activities-of-import",
    heading: "Activities",
    as: "operator",
    address: ({ activitiesId }) => `/portal/activities?import=${activitiesId}`,
  },
  {
    path: "/portal/activities/{importId}/{row}",
    name: "activity",
    heading: "Activity",
    as: "operator",
    address: ({ activitiesId }) => `/portal/activities/${activitiesId}/5`,
  },
  {
    path: "/portal/activities/{importId}/{row}",
    name: "activity-reversed",
    heading: "Activity",
    as: "viewer",
    address: ({ activitiesId }) => `/portal/activities/${activitiesId}/402`,
  },
  {
    path: "/portal/activities",
    name: "activities-to-reverse",
    heading: "Activities",
    as: "operator",
    address: () => "/portal/activities?month=2026-07&view=rows&charge=PICK&select=all",
  },
  {
    path: "/portal/activities/reverse",
    name: "activities-reverse-none",
    heading: "Reverse rows",
    as: "operator",
    address: () => "/portal/activities/reverse",
  },
  {
    path: "/portal/activities",
    name: "activities-none",
    heading: "Activities",
    as: "operator",
    address: () => "/portal/activities?month=2020-02",
  },
  { path: "/portal/quotes", name: "quotes", heading: "Quotes", as: "operator", address: () => "/portal/quotes" },
  {
    path: "/portal/quotes",
    name: "quotes-priced",
    heading: "Quotes",
    as: "viewer",
    address: ({ quoteId }) => `/portal/quotes?quote=${quoteId}`,
  },
  {
    path: "/portal/quotes/{quoteId}/history",
    name: "quote-history",
    heading: "History",
    as: "viewer",
    address: ({ quoteId }) => `/portal/quotes/${quoteId}/history`,
  },
  {
    path: "/portal/shipments",
    name: "shipments",
    heading: "Shipments",
    as: "viewer",
    address: ({ organisationId }) => `/portal/shipments?id=${organisationId}`,
  },
  {
    path: "/portal/shipments/{shipmentId}",
    name: "shipment",
    heading: "SO-1004",
    as: "viewer",
    address: () => "/portal/shipments/SO-1004",
  },
  { path: "/portal/settings/keys", name: "keys", heading: "API Keys", as: "admin", address: () => "/portal/settings/keys" },
  {
    path: "/portal/settings/keys",
    name: "keys-revoke",
    heading: "API Keys",
    asks: "Revoke this key?",
    as: "admin",
    address: ({ keyId }) => `/portal/settings/keys?revoke=${keyId}`,
  },
  { path: "/portal/settings/members", name: "members", heading: "Members", as: "admin", address: () => "/portal/settings/members" },
  {
    path: "/portal/settings/members",
    name: "members-remove",
    heading: "Members",
    asks: "Remove this member?",
    as: "admin",
    address: ({ people }) => `/portal/settings/members?remove=${people.viewer.memberId}`,
  },
  {
    path: "/portal/settings/members",
    name: "members-erase",
    heading: "Members",
    asks: "Erase this person?",
    as: "admin",
    address: ({ people }) => `/portal/settings/members?erase=${people.viewer.memberId}`,
  },
  { path: "/portal/settings/webhooks", name: "webhooks", heading: "Webhooks", as: "admin", address: () => "/portal/settings/webhooks" },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook",
    heading: endpointUrl,
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-paused",
    heading: pausedUrl,
    as: "admin",
    address: ({ pausedId }) => `/portal/settings/webhooks/${pausedId}`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-remove",
    heading: endpointUrl,
    asks: "Remove this endpoint?",
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}?ask=remove`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-rotate",
    heading: endpointUrl,
    asks: "Rotate the secret?",
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}?ask=rotate`,
  },
  {
    path: "/portal/settings/webhooks/{endpointId}",
    name: "webhook-replay",
    heading: endpointUrl,
    asks: "Send it all again?",
    as: "admin",
    address: ({ endpointId }) => `/portal/settings/webhooks/${endpointId}?ask=replay&from=2026-01-01T00%3A00`,
  },
  {
    path: "/portal/settings/members",
    name: "members-remove-last-admin",
    heading: "Members",
    asks: "You are the only admin",
    onlyCloses: true,
    as: "admin",
    address: ({ people }) => `/portal/settings/members?remove=${people.admin.memberId}`,
  },
  { path: "/portal/account", name: "account", heading: "Account", as: "viewer", address: () => "/portal/account" },
  {
    path: "/portal/account",
    name: "account-sign-out-everywhere",
    heading: "Account",
    asks: "Sign out everywhere?",
    as: "viewer",
    address: () => "/portal/account?ask=everywhere",
  },
];
