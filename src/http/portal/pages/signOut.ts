import { endSession } from "../../../commands/members/sessions.js";
import type { FormOf } from "../page.js";
import type { SignedInVisit } from "../visit.js";
import { overviewPage } from "./overview/page.js";

export const signOutForm: FormOf<SignedInVisit> = {
  path: "/portal/sign-out",
  access: "look",
  page: overviewPage,
  submit: async (visit, _, { pool, sessionCookie }) => {
    const token = sessionCookie.read(visit.context);
    if (token !== undefined) await endSession(pool, token);
    sessionCookie.clear(visit.context);
    return { goTo: "/portal/sign-in" };
  },
};
