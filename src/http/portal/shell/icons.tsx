// Small drawings, each on a field of 20 by 20, in the colour of the text beside them. They say nothing that the text does not say.
const drawings = {
  overview: "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
  imports: "M10 3v8m-3-3 3 3 3-3M3 12v4h14v-4",
  upload: "M10 12V4m-3 3 3-3 3 3M3 12v4h14v-4",
  rejected: "M10 3 18 17H2zM10 8v4m0 2.4v.1",
  quotes: "M3 3h7l7 7-7 7-7-7zM6.6 6.5v.1",
  shipments: "M2 5h9v9H2zM11 8h4l3 3v3h-7zM5.5 14a1.6 1.6 0 1 0 .01 0M14.5 14a1.6 1.6 0 1 0 .01 0",
  activities: "M7 5h10M7 10h10M7 15h10M3 5h.1M3 10h.1M3 15h.1",
  catalogue: "M10 5c-2-1.5-4-2-7-2v12c3 0 5 .5 7 2 2-1.5 4-2 7-2V3c-3 0-5 .5-7 2zm0 0v12",
  keys: "M7 17a4 4 0 1 1 .01 0M9.8 10.2 17 3m-3 3 2.5 2.5",
  members: "M7 9a3 3 0 1 1 .01 0M2 17c0-3 2-5 5-5s5 2 5 5M13 9a3 3 0 1 0-1-5.8M14 12.2c2.4.5 4 2.3 4 4.8",
  webhooks: "M11 2 4 11h5l-1 7 8-10h-5z",
  log: "M10 18a8 8 0 1 1 .01 0M10 5v5l3 2",
  help: "M10 18a8 8 0 1 1 .01 0M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7m0 2.5v.1",
} as const;

export type IconName = keyof typeof drawings;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d={drawings[name]} />
  </svg>
);

/** The sign of the product: a W like a route with five stops. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" />
    <path d="M6 10l4 13 6-11 6 11 4-13" />
  </svg>
);
