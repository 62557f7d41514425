import { type NameOf, principalOf } from "../../../../domain/principal.js";
import { listVersions, readVersion, type ShipmentVersion } from "../../../../queries/shipments/shipmentVersions.js";
import { waitUntilTablesKnow } from "../../../../queries/waitUntilTablesKnow.js";
import { numberIn } from "../../fields.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { clipped, groupDigits } from "../../shell/formats.js";
import { Badge, EmptyPanel, Link, Pager, Panel, Time, withQuery } from "../../shell/parts.js";
import { historyPath, importPath, reversalPath, reversePath } from "../imports/importStatus.js";
import { changesBetween, shipmentPath } from "./shipmentWords.js";

const shownChanges = 20;

interface VersionsProps {
  readonly visit: SignedInVisit;
  readonly shipmentId: string;
  readonly versions: Awaited<ReturnType<typeof readVersions>>;
  readonly nameOf: NameOf;
}

/** Their projection is still being filled after an upgrade, or the event store does not answer. */
const whyNone = {
  gathering: "Versions from before the last upgrade are still being prepared. Reload the page in a few minutes.",
  unreadable: "The versions cannot be shown right now. Reload the page in a moment.",
};

export function Versions({ visit, shipmentId, versions: found, nameOf }: VersionsProps) {
  if (typeof found === "string") return <EmptyPanel label="Versions" title={whyNone[found]} />;
  const { all, versions, before, shown } = found;
  const newest = versions.at(-1)?.number ?? 0;
  const oldest = versions[0]?.number ?? 1;
  return (
    <Panel id="versions" title={`Versions (${groupDigits(all)})`}>
      <ol class="versions" reversed start={newest}>
        {versions
          .map((version, index) => (
            <Version
              {...{ visit, shipmentId, version, nameOf }}
              before={versions[index - 1] ?? before}
              isShownAgain={version.number === shown?.number && version.number < all}
            />
          ))
          .reverse()}
      </ol>
      <Pager
        of="versions"
        isFirst={newest >= all}
        nextCursor={oldest > 1 ? String(oldest - 1) : null}
        path={(version) => withQuery(shipmentPath(shipmentId), { asOf: visit.query["asOf"], version })}
      />
    </Panel>
  );
}

interface VersionProps extends Pick<VersionsProps, "visit" | "shipmentId" | "nameOf"> {
  readonly version: ShipmentVersion;
  readonly before: ShipmentVersion | undefined;
  /** The ledger has it, though it is not the newest. */
  readonly isShownAgain: boolean;
}

function Version({ visit: { query, may, person }, shipmentId, version, before, isShownAgain, nameOf }: VersionProps) {
  const { number, importId, by, fileName, sourceDetails, pushedAt, rows, supersededBy, reversed } = version;
  const changes = before && changesBetween(before, version, person.timezone);
  const mayReverse = !query["asOf"] && may("operate");
  const reverseLink = (
    <Link to={withQuery(reversePath(importId), { shipment: shipmentId })}>
      Reverse rows<span class="unseen"> of version {number}</span>
    </Link>
  );
  return (
    <li>
      <h3>
        Version {number}, <Time at={new Date(pushedAt)} exact /> {reversed ? <Badge state={{ label: "Reversed", badge: "warn" }} /> : null}
        {isShownAgain ? <Badge state={{ label: "In the ledger", badge: "good" }} /> : null}
      </h3>
      <p>
        By {nameOf(by)}, {rows.length === 1 ? "row" : "rows"} {rows.slice(0, shownChanges).join(", ")}
        {rows.length > shownChanges ? " and more" : ""} of <Link to={importPath(importId)}>{fileName}</Link>
        {["", fileName].includes(sourceDetails.trim()) ? "" : ` (${sourceDetails.trim()})`},{" "}
        <Link to={historyPath(importId, rows[0] ?? 1)}>
          history<span class="unseen"> of version {number}</span>
        </Link>
        {mayReverse && !reversed ? [", ", reverseLink] : null}
      </p>
      {reversed ? (
        <p>
          <Link to={reversalPath(importId, reversed.reversalId)}>Reversed</Link> <Time at={new Date(reversed.at)} exact /> by{" "}
          {nameOf(principalOf(reversed.actor))}: <q class="reason">{reversed.reason}</q>
        </p>
      ) : null}
      {supersededBy === null ? null : (
        <p class="muted">
          Never the current version: <Link to={importPath(supersededBy)}>a later import</Link> was recorded first.
        </p>
      )}
      {changes?.length === 0 ? <p class="muted">Nothing changed.</p> : null}
      {changes && changes.length > 0 ? (
        <ul class="changes">
          {changes.slice(0, shownChanges).map((change) => (
            <li>
              {change.what}: {change.before === "" ? null : <del>{clipped(change.before)}</del>}{" "}
              {change.after === "" ? null : <ins>{clipped(change.after)}</ins>}
            </li>
          ))}
          {changes.length > shownChanges ? <li class="muted">and {groupDigits(changes.length - shownChanges)} more changes</li> : null}
        </ul>
      ) : null}
    </li>
  );
}

/** How long a page may read the lines of the versions. */
const longestMs = 2_500;
const shownVersions = 20;
/** How many versions are read at a time: the lines of one shipment may be in many places of a file, each of which is one read. */
const atATime = 5;

/** Up to the version that the page's address names, or the newest of all. */
export async function readVersions(shipmentId: string, asOf: Date | undefined, visit: SignedInVisit, deps: PortalDeps) {
  const { person, context, query } = visit;
  const { pool, eventStore, closing, logger } = deps;
  if (asOf) await waitUntilTablesKnow(asOf, deps);
  const range = { asOf, shipmentId, upTo: numberIn(query["version"]), count: shownVersions + 1 };
  const page = await listVersions(person.organisationId, range, pool);
  if (!page) return "gathering" as const;
  const signal = AbortSignal.any([AbortSignal.timeout(longestMs), closing, context.req.raw.signal]);
  try {
    const isListed = page.versions.some(({ number }) => number === page.shown?.number);
    const wanted = [...page.versions, ...(page.shown && !isListed ? [page.shown] : [])];
    const read: ShipmentVersion[] = [];
    for (let from = 0; from < wanted.length; from += atATime)
      read.push(...(await Promise.all(wanted.slice(from, from + atATime).map((each) => readVersion(each, eventStore, signal)))));
    const listed = read.slice(0, page.versions.length);
    const versions = listed.slice(-shownVersions);
    return {
      /** How many versions there are in all. */
      all: page.all,
      /** Oldest first. */
      versions,
      /** The version before the oldest of these, to compare with. */
      before: listed.length > versions.length ? listed[0] : undefined,
      /** The version in the ledger; undefined if all are reversed, or there was none yet. */
      shown: read.find(({ number }) => number === page.shown?.number),
    };
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "the versions of a shipment could not be read");
    return "unreadable" as const;
  }
}
