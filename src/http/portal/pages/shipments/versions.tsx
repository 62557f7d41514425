import type { ShipmentVersion } from "../../../../audit/shipmentVersions.js";
import type { NameOf } from "../../../../queries/principalNames.js";
import { Amount, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { importPath } from "../imports/status.js";
import { shipmentPath } from "./address.js";
import { type Change, changesBetween } from "./words.js";

const shownVersions = 20;
const shownChanges = 20;
const longestText = 200;

interface VersionsProps {
  readonly visit: SignedInVisit;
  readonly shipmentId: string;
  /** In the order of the pushes. */
  readonly versions: readonly ShipmentVersion[] | undefined;
  readonly nameOf: NameOf;
}

export function Versions({ visit, shipmentId, versions, nameOf }: VersionsProps) {
  if (versions === undefined)
    return (
      <section class="panel" aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        <p class="muted">
          The earlier versions cannot be read within the time that a page has. Reload it later, or ask whoever runs the service: the command{" "}
          <code>audit shipment</code> tells them without a limit of time.
        </p>
      </section>
    );
  const end = lastShown(visit.query["version"], versions.length);
  const first = Math.max(0, end - shownVersions);
  return (
    <section class="panel" aria-labelledby="versions">
      <h2 id="versions">
        Versions (<Amount value={versions.length} />)
      </h2>
      <ol class="versions" reversed start={end}>
        {versions
          .slice(first, end)
          .map((version, index) => (
            <Version visit={visit} version={version} number={first + index + 1} before={versions[first + index - 1]} nameOf={nameOf} />
          ))
          .reverse()}
      </ol>
      <nav class="pages" aria-label="Pages of versions">
        {end < versions.length ? <a href={address(visit, shipmentId, undefined)}>Newest</a> : null}
        {first > 0 ? <a href={address(visit, shipmentId, first)}>Older</a> : null}
      </nav>
    </section>
  );
}

function lastShown(text: string | undefined, all: number): number {
  const asked = /^\d{1,9}$/.test(text ?? "") ? Number(text) : all;
  return Math.max(Math.min(asked, all), Math.min(1, all));
}

function address({ links, query }: SignedInVisit, shipmentId: string, version: number | undefined): string {
  const path = shipmentPath(shipmentId);
  const more = new URLSearchParams({
    ...(query["asOf"] ? { asOf: query["asOf"] } : {}),
    ...(version === undefined ? {} : { version: String(version) }),
  }).toString();
  return links.to(more === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${more}`);
}

interface VersionProps {
  readonly visit: SignedInVisit;
  readonly version: ShipmentVersion;
  readonly number: number;
  readonly before: ShipmentVersion | undefined;
  readonly nameOf: NameOf;
}

function Version({ visit, version, number, before, nameOf }: VersionProps) {
  const { importId, by, fileName, sourceDetails, pushedAt, rows, supersededBy } = version;
  const changes = before && changesBetween(before, version);
  return (
    <li>
      <h3>
        Version {number}, <Time visit={visit} at={new Date(pushedAt)} exact />
      </h3>
      <p>
        By {nameOf(by)}, {rows.length === 1 ? "row" : "rows"} {rows.slice(0, shownChanges).join(", ")}
        {rows.length > shownChanges ? " and more" : ""} of {fileName} (
        <a href={visit.links.to(importPath(importId))}>{sourceDetails.trim() || "an import without a reference"}</a>),{" "}
        <a href={visit.links.to(`${importPath(importId)}/history?row=${rows[0] ?? 1}`)}>
          history <span class="unseen">of version {number}</span>
        </a>
      </p>
      {supersededBy === null ? null : (
        <p class="muted">
          The ledger never showed it: <a href={visit.links.to(importPath(supersededBy))}>a later push</a> was there first.
        </p>
      )}
      {changes === undefined ? null : changes.length === 0 ? <p class="muted">Nothing changed.</p> : <Changes changes={changes} />}
    </li>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ul class="changes">
      {changes.slice(0, shownChanges).map(({ what, before, after }) => (
        <li>
          {what}: {before === "" ? null : <del>{short(before)}</del>} {after === "" ? null : <ins>{short(after)}</ins>}
        </li>
      ))}
      {changes.length > shownChanges ? (
        <li class="muted">
          and <Amount value={changes.length - shownChanges} /> more changes
        </li>
      ) : null}
    </ul>
  );
}

const short = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}...` : text);
