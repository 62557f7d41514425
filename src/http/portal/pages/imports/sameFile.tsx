// The earlier import that had the same file, in words.

import type { Pool } from "pg";
import { principalOf } from "../../../../domain/principal.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { Link, Time } from "../../shell/parts.js";
import { importPath, shownReference } from "./importStatus.js";

export type EarlierPush = Awaited<ReturnType<typeof earlierPush>>;

/** Who pushed it and when, for an import of the same organisation. */
export async function earlierPush(organisationId: string, importId: string, { pool }: { readonly pool: Pool }) {
  const pushed = await findImportRow(organisationId, { kind: undefined, importId }, pool);
  const nameOf = await principalNames(organisationId, pool);
  return { importId, pushed: pushed && { ...pushed, by: nameOf(principalOf(pushed.requestedBy)) } };
}

/** Such as `orders.csv, sent 1 Mar 2026, 10:00 by Ada`. */
export const PushInWords = ({ earlier: { importId, pushed } }: { earlier: EarlierPush }) => (
  <>
    <Link to={importPath(importId)}>{pushed ? shownReference({ reference: pushed.sourceDetails }) : "an earlier import"}</Link>
    {pushed ? (
      <>
        , sent <Time at={pushed.submittedAt} /> by {pushed.by}
      </>
    ) : null}
  </>
);
