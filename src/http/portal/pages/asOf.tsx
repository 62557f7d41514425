// A page of something as it was at a time: the time that is asked for, and the form that asks.
import { instantOf } from "../../../domain/imports/timestamp.js";
import { Rejection } from "../../../domain/rejection.js";
import { Time } from "../shell/values.js";
import type { SignedInVisit } from "../visit.js";

/** A time without a zone is the organisation's own. Undefined: as it is now. */
export function askedTime({ query, person }: SignedInVisit): Date | undefined {
  const text = query["asOf"]?.trim() ?? "";
  if (text === "") return undefined;
  const instant = instantOf(text, person.timezone);
  if (instant === undefined) throw new Rejection("invalid", "As of must be a time, such as 2026-03-01T14:30");
  return new Date(instant);
}

interface AsOfProps {
  readonly visit: SignedInVisit;
  /** The page as it is now. */
  readonly path: string;
  readonly asOf: Date | undefined;
}

export function AsOf({ visit, path, asOf }: AsOfProps) {
  const { links, query } = visit;
  const [action = "", more] = path.split("?");
  return (
    <form method="get" action={links.to(action)} class="in-line filters">
      {[...new URLSearchParams(more)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="field">
        <label for="as-of">As of</label>
        <input id="as-of" name="asOf" type="datetime-local" step="1" value={query["asOf"]} required />
      </div>
      <button type="submit" class="quiet">
        Show
      </button>
      {asOf === undefined ? null : (
        <>
          <a class="button quiet" href={links.to(path)}>
            Show it as it is now
          </a>
          <p class="muted">
            As it was on <Time visit={visit} at={asOf} exact />
          </p>
        </>
      )}
    </form>
  );
}
