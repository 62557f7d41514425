import type { Visit } from "../visit.js";

/** What markup that several people get may depend on: nothing that belongs to one session. */
export type Viewer = Pick<Visit, "links" | "may"> & { readonly person: { readonly timezone: string; readonly organisationId: string } };
