// The earlier import that had the same file, in words.

import { requestedEvent } from "../../../../events/importLayout.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { answerInTime } from "../../../server/answerInTime.js";
import type { PortalDeps } from "../../pageDefinition.js";
import { Link } from "../../shell/link.js";
import { Time } from "../../shell/values.js";
import { importPath, shownReference } from "./importStatus.js";

export interface EarlierPush {
  readonly importId: string;
  /** Undefined where the event store does not answer. */
  readonly pushed: { readonly reference: string; readonly at: Date; readonly by: string } | undefined;
}

const longestMs = 1_500;

/** Who pushed it and when, for an import of the same organisation. */
export async function earlierPush(
  organisationId: string,
  importId: string,
  { pool, eventStore }: Pick<PortalDeps, "pool" | "eventStore">,
): Promise<EarlierPush> {
  const [requested, nameOf] = await Promise.all([
    answerInTime(requestedEvent(eventStore, importId), longestMs, "the first event of an import").catch(() => undefined),
    principalNames(organisationId, pool),
  ]);
  if (requested?.data.organisationId !== organisationId) return { importId, pushed: undefined };
  const { sourceDetails, at, by } = requested.data;
  return { importId, pushed: { reference: sourceDetails, at: new Date(at), by: nameOf(by) } };
}

/** Such as `orders.csv, sent 1 Mar 2026, 10:00 by Ada`. */
export const PushInWords = ({ earlier: { importId, pushed } }: { earlier: EarlierPush }) => (
  <>
    <Link to={importPath(importId)}>{pushed ? shownReference(pushed) : "an earlier import"}</Link>
    {pushed ? (
      <>
        , sent <Time at={pushed.at} /> by {pushed.by}
      </>
    ) : null}
  </>
);
