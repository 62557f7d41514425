import type { Visit } from "../visit.js";

/** What markup may know of who looks at it where several people get the same: nothing of one session. */
export type Viewer = Pick<Visit, "links" | "may"> & { readonly person: { readonly timezone: string; readonly organisationId: string } };
