import { type NameOf, principalOf } from "../../../../domain/principal.js";
import { listVersions, readVersion, type ShipmentVersion } from "../../../../queries/shipments/shipmentVersions.js";
import { waitUntilTablesKnow } from "../../../../queries/waitUntilTablesKnow.js";
import { parsePositiveInteger } from "../../fields.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { clipText, groupDigits } from "../../shell/formats.js";
import { Badge, EmptyPanel, Link, Pager, Panel, Time, withQuery } from "../../shell/markup.js";
import { historyPath, importPath, reversalPath, reversePath } from "../imports/importStatus.js";
import { changesBetween, shipmentPath } from "./shipmentWords.js";

const maxChanges = 20;

interface VersionsProps {
  readonly visit: SignedInVisit;
  readonly shipmentId: string;
  readonly versions: Awaited<ReturnType<typeof readVersions>>;
  readonly nameOf: NameOf;
}

/** `gathering`: an upgrade's new projection is still being filled. `unreadable`: the event store does not answer. */
const unavailableTitles = {
  gathering: "Versions from before the last upgrade are still being prepared. Reload the page in a few minutes.",
  unreadable: "The versions cannot be shown right now. Reload the page in a moment.",
};

export function Versions({ visit, shipmentId, versions: result, nameOf }: VersionsProps) {
  if (typeof result === "string") return <EmptyPanel label="Versions" title={unavailableTitles[result]} />;
  const { count, versions, previous, inLedger } = result;
  const newest = versions.at(-1)?.number ?? 0;
  const oldest = versions[0]?.number ?? 1;
  return (
    <Panel id="versions" title={`Versions (${groupDigits(count)})`}>
      <ol class="versions" reversed start={newest}>
        {versions
          .map((version, index) => (
            <Version
              {...{ visit, shipmentId, version, nameOf }}
              previous={versions[index - 1] ?? previous}
              isShownAgain={version.number === inLedger?.number && version.number < count}
            />
          ))
          .reverse()}
      </ol>
      <Pager
        plural="versions"
        isFirst={newest >= count}
        nextCursor={oldest > 1 ? String(oldest - 1) : null}
        path={(version) => withQuery(shipmentPath(shipmentId), { asOf: visit.query["asOf"], version })}
      />
    </Panel>
  );
}

interface VersionProps extends Pick<VersionsProps, "visit" | "shipmentId" | "nameOf"> {
  readonly version: ShipmentVersion;
  readonly previous: ShipmentVersion | undefined;
  /** True if the ledger shows this version although it is not the newest. */
  readonly isShownAgain: boolean;
}

function Version({ visit: { query, may, person }, shipmentId, version, previous, isShownAgain, nameOf }: VersionProps) {
  const { number, importId, by, fileName, sourceDetails, pushedAt, rows, supersededBy, reversed } = version;
  const changes = previous && changesBetween(previous, version, person.timezone);
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
        By {nameOf(by)}, {rows.length === 1 ? "row" : "rows"} {rows.slice(0, maxChanges).join(", ")}
        {rows.length > maxChanges ? " and more" : ""} of <Link to={importPath(importId)}>{fileName}</Link>
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
          Never the current version: <Link to={importPath(supersededBy)}>{supersededBy === importId ? "the same" : "a later"} import</Link>{" "}
          has a later one.
        </p>
      )}
      {changes?.length === 0 ? <p class="muted">Nothing changed.</p> : null}
      {changes && changes.length > 0 ? (
        <ul class="changes">
          {changes.slice(0, maxChanges).map((change) => (
            <li>
              {change.what}: {change.before === "" ? null : <del>{clipText(change.before)}</del>}{" "}
              {change.after === "" ? null : <ins>{clipText(change.after)}</ins>}
            </li>
          ))}
          {changes.length > maxChanges ? <li class="muted">and {groupDigits(changes.length - maxChanges)} more changes</li> : null}
        </ul>
      ) : null}
    </li>
  );
}

/** The longest time that a page spends reading the lines of the versions. */
const maxReadMs = 2_500;
const versionsPerPage = 20;
/** How many versions are read concurrently. One version may need many reads: its lines can be anywhere in a file. */
const versionsPerBatch = 5;

/** Reads one page of versions, up to the version in the page's address or to the newest. */
export async function readVersions(shipmentId: string, asOf: Date | undefined, visit: SignedInVisit, deps: PortalDeps) {
  const { person, context, query } = visit;
  const { pool, eventStore, closing, logger } = deps;
  if (asOf) await waitUntilTablesKnow(asOf, deps);
  const range = { asOf, shipmentId, upTo: parsePositiveInteger(query["version"]), count: versionsPerPage + 1 };
  const page = await listVersions(person.organisationId, range, pool);
  if (!page) return "gathering" as const;
  const signal = AbortSignal.any([AbortSignal.timeout(maxReadMs), closing, context.req.raw.signal]);
  try {
    const isListed = page.versions.some(({ number }) => number === page.shown?.number);
    const versionsToRead = [...page.versions, ...(page.shown && !isListed ? [page.shown] : [])];
    const fullVersions: ShipmentVersion[] = [];
    const readBatch = (from: number) =>
      Promise.all(versionsToRead.slice(from, from + versionsPerBatch).map((each) => readVersion(each, eventStore, signal)));
    for (let from = 0; from < versionsToRead.length; from += versionsPerBatch) fullVersions.push(...(await readBatch(from)));
    const listedVersions = fullVersions.slice(0, page.versions.length);
    const versions = listedVersions.slice(-versionsPerPage);
    return {
      count: page.all,
      /** Oldest first. */
      versions,
      /** The version before the oldest of this page, to compare it with. */
      previous: listedVersions.length > versions.length ? listedVersions[0] : undefined,
      /** The version in the ledger; undefined if all versions are reversed, or none existed yet. */
      inLedger: fullVersions.find(({ number }) => number === page.shown?.number),
    };
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "the versions of a shipment could not be read");
    return "unreadable" as const;
  }
}
