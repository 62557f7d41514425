import type { NameOf } from "../../../../domain/principal.js";
import type { ShipmentVersion } from "../../../../queries/shipments/shipmentVersions.js";
import { Pager } from "../../shell/list.js";
import { Amount, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { historyPath, importPath } from "../imports/status.js";
import { shipmentPath } from "./address.js";
import type { NoVersions, ShownVersions } from "./readVersions.js";
import { type Change, changesBetween } from "./words.js";

const shownChanges = 20;
const longestText = 200;

interface VersionsProps {
  readonly visit: SignedInVisit;
  readonly shipmentId: string;
  readonly versions: ShownVersions | NoVersions;
  readonly nameOf: NameOf;
}

const whyNone: Readonly<Record<NoVersions, string>> = {
  gathering: "The versions of before the last upgrade are being gathered from the log. Reload the page in a few minutes.",
  unreadable: "The versions cannot be read at the moment. Reload the page in a moment.",
};

export function Versions({ visit, shipmentId, versions: found, nameOf }: VersionsProps) {
  if (typeof found === "string")
    return (
      <section class="panel" aria-labelledby="versions">
        <h2 id="versions">Versions</h2>
        <p class="muted">{whyNone[found]}</p>
      </section>
    );
  const { all, versions, before } = found;
  const newest = versions.at(-1)?.number ?? 0;
  const oldest = versions[0]?.number ?? 1;
  return (
    <section class="panel" aria-labelledby="versions">
      <h2 id="versions">
        Versions (<Amount value={all} />)
      </h2>
      <ol class="versions" reversed start={newest}>
        {versions
          .map((version, index) => <Version visit={visit} version={version} before={versions[index - 1] ?? before} nameOf={nameOf} />)
          .reverse()}
      </ol>
      <Pager
        of="versions"
        cursor={newest < all ? String(newest) : undefined}
        nextCursor={oldest > 1 ? String(oldest - 1) : null}
        address={(version) => visit.links.to(shipmentPath(shipmentId), { asOf: visit.query["asOf"], version })}
      />
    </section>
  );
}

/** The number of the newest version to list; undefined for the newest of all. */
export function lastWanted({ query }: SignedInVisit): number | undefined {
  const text = query["version"] ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

interface VersionProps {
  readonly visit: SignedInVisit;
  readonly version: ShipmentVersion;
  readonly before: ShipmentVersion | undefined;
  readonly nameOf: NameOf;
}

function Version({ visit, version, before, nameOf }: VersionProps) {
  const { number, importId, by, fileName, sourceDetails, pushedAt, rows, supersededBy } = version;
  const changes = before && changesBetween(before, version);
  return (
    <li>
      <h3>
        Version {number}, <Time visit={visit} at={new Date(pushedAt)} exact />
      </h3>
      <p>
        By {nameOf(by)}, {rows.length === 1 ? "row" : "rows"} {rows.slice(0, shownChanges).join(", ")}
        {rows.length > shownChanges ? " and more" : ""} of <a href={visit.links.to(importPath(importId))}>{fileName}</a>
        {["", fileName].includes(sourceDetails.trim()) ? "" : ` (${sourceDetails.trim()})`},{" "}
        <a href={visit.links.to(historyPath(importId, rows[0] ?? 1))}>
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
