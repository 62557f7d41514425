// A page of something as it was at a time: the time in its address, and the form for another.

import { instantOf, wallAt } from "../../../domain/imports/timestamp.js";
import { Rejection } from "../../../domain/rejection.js";
import type { SignedInVisit } from "../pageDefinition.js";
import { Chips } from "../shell/chips.js";
import { Time } from "../shell/parts.js";

/** A time without a zone is the organisation's own. Undefined: none is given. */
export function timeIn({ query, person }: SignedInVisit, name = "asOf", label = "As of"): Date | undefined {
  const text = query[name]?.trim() ?? "";
  if (text === "") return undefined;
  const instant = instantOf(text, person.timezone);
  if (instant === undefined) throw new Rejection("invalid", `${label} must be a time, such as 2026-03-01T14:30`);
  return new Date(instant);
}

interface AsOfProps {
  readonly visit: SignedInVisit;
  /** The page as it is now. */
  readonly path: string;
  readonly asOf: Date | undefined;
}

export function AsOf({ visit, path, asOf }: AsOfProps) {
  const [action = "", more] = path.split("?");
  const value = asOf && wallAt(asOf.getTime(), visit.person.timezone);
  const kept = Object.fromEntries(new URLSearchParams(more));
  return (
    <>
      <Chips path={action} chips={[{ name: "asOf", label: "As of", kind: "time", value }]} kept={kept} all="Show it now" />
      {asOf === undefined ? null : (
        <p class="muted">
          As it was on <Time at={asOf} exact />
        </p>
      )}
    </>
  );
}
