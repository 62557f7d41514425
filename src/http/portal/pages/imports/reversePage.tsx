// The page that describes what a reversal would do, with the form that reverses.
import { type ReversalOutcome, reverseRows } from "../../../../commands/reversals/reverseRows.js";
import { limits } from "../../../../domain/imports/limits.js";
import { parseNumbers } from "../../../../domain/ranges.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type ImportAmounts, importAmounts } from "../../../../queries/activities/totalChanges.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { answerTable } from "../../../server/problem.js";
import { readReason } from "../../fields.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { Chips } from "../../shell/chips.js";
import { CheckBox, Form, ReasonField } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { Link, Panel, PlainList, withQuery } from "../../shell/markup.js";
import { BillTable, billLines, billSum, FirstLinesHint, maxLines } from "../activities/bills.js";
import { currentCatalogue, type NameOfCustomer } from "../customers.js";
import { shipmentPath } from "../shipments/shipmentWords.js";
import { importOf } from "./importPage.js";
import { importCrumbs, importPath, importsPath, kindNames, reversePath, shownReference } from "./importStatus.js";

/** Shows what would be reversed, and what follows from it. The address can name some rows, or a shipment, instead of the whole import. */
export const reversePage = definePage(`${importsPath}/{importId}/reverse`, "operate", async (visit, deps) => {
  const { view } = await importOf(visit, deps);
  const crumbs = importCrumbs(view);
  const title = visit.query["rows"] ? "Reverse rows" : visit.query["shipment"] ? "Reverse shipment" : "Reverse import";
  try {
    return { title, crumbs, body: await previewOf(visit, view, deps) };
  } catch (error) {
    if (!(error instanceof Rejection) || error.code === "notFound") throw error;
    const { status } = answerTable[error.code];
    return {
      title,
      crumbs,
      status,
      notice: { kind: "error", lines: [error.message] },
      body: view.status === "completed" ? <OtherChoice view={view} /> : null,
    };
  }
});

async function previewOf(visit: SignedInVisit, view: ImportView, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const request = await reversalRequest(visit, view, deps);
  const outcome = await reverseRows(deps, { ...request, preview: true, reason: "", includeCorrections: false });
  const rows = "rows" in request.selection ? request.selection.rows : undefined;
  const [stoppedAmounts, corrections, { nameOf }] = await Promise.all([
    view.kind === "activities" ? importAmounts(organisationId, { importId: view.importId, rows, max: maxLines + 1 }, deps.pool) : undefined,
    correctionsOf(organisationId, outcome, deps),
    currentCatalogue(visit, deps),
  ]);
  const anyLeft = outcome.reversed > 0 || outcome.withdrawn > 0;
  const hasCorrections = corrections.length > 0;
  const more = outcome.corrections.length - corrections.length;
  const { shipment } = visit.query;
  return (
    <>
      <p class="under-heading">
        <span class="muted">{kindNames[view.kind]}</span>
        {rows ? <span class="named">Rows {visit.query["rows"]?.replaceAll(",", ", ")}</span> : null}
        {rows || !shipment ? null : (
          <span class="named">
            Shipment <Link to={shipmentPath(shipment)}>{shipment}</Link>
          </span>
        )}
      </p>
      <Panel id="what-happens" title={anyLeft ? "What happens" : "Nothing is left to reverse"}>
        <PlainList items={anyLeft ? [effectInWords(view, outcome), ...consequences(view, outcome)] : [reversedBefore(view, outcome)]} />
        {anyLeft ? <p class="hint">Nothing is erased: the import and its history stay as they are.</p> : null}
      </Panel>
      {stoppedAmounts && stoppedAmounts.amounts.length > 0 ? <StoppedAmounts amounts={stoppedAmounts} nameOf={nameOf} /> : null}
      {hasCorrections ? (
        <Panel id="corrections" title="Corrections by other imports">
          <p>These imports have corrected rows that you chose. What they recorded stays, unless you reverse it as well.</p>
          <PlainList
            items={[
              ...corrections.map((each) => [
                <Link to={importPath(each.importId)}>{each.reference}</Link>,
                ` (${countInWords(each.rows, "row")})`,
              ]),
              ...(more > 0 ? [`and ${countInWords(more, "more import")}`] : []),
            ]}
          />
        </Panel>
      ) : null}
      {anyLeft || hasCorrections ? (
        <Panel id="reverse" title="Reverse">
          <Form
            to={withQuery(reversePath(view.importId), { rows: visit.query["rows"], shipment })}
            submit={`Reverse ${outcome.reversed > 0 ? unitsOf(view, outcome.reversed) : "these rows"}`}
            cancel={importPath(view.importId)}
            isDangerous
          >
            <ReasonField hint="Everybody who opens the import can see this." />
            {hasCorrections ? (
              <CheckBox
                label="Reverse these corrections as well"
                name="corrections"
                value="reverse"
                checked={!anyLeft}
                required={!anyLeft}
              />
            ) : null}
          </Form>
        </Panel>
      ) : null}
      <OtherChoice view={view} />
    </>
  );
}

const maxNamedCorrections = 20;

/** The first imports that corrected these rows, with their references. */
async function correctionsOf(organisationId: string, { corrections }: ReversalOutcome, deps: PortalDeps) {
  const found = corrections.slice(0, maxNamedCorrections).map(async ({ importId, rows }) => {
    const { view } = await requireImport(organisationId, { kind: undefined, importId }, deps);
    return { importId, rows: rows.length, reference: shownReference(view) };
  });
  return Promise.all(found);
}

export const reverseForm = defineForm(reversePage, { subPath: "", faults: { reason: /reason/ } }, async (visit, fields, deps) => {
  const { view } = await importOf(visit, deps);
  const request = await reversalRequest(visit, view, deps);
  const [reason, includeCorrections] = [readReason(fields), fields.get("corrections") === "reverse"];
  const outcome = await reverseRows(deps, { ...request, preview: false, reason, includeCorrections });
  const corrections = includeCorrections ? await correctionsOf(visit.person.organisationId, outcome, deps) : [];
  const lines = outcomeInWords(view, outcome, corrections);
  return { goTo: importPath(view.importId), notice: { kind: "done", lines } };
});

async function reversalRequest(visit: SignedInVisit, { importId, kind }: ImportView, deps: PortalDeps) {
  const { organisationId, by } = visit.person;
  const { rows, shipment } = visit.query;
  const selection = rows
    ? { rows: parseNumbers(rows, limits.rowsPerReversal) }
    : shipment
      ? { shipmentIds: [shipment] }
      : ({ all: true } as const);
  return { organisationId, importId, kind, selection, by, requestId: visit.requestId, now: deps.organisations.now };
}

function outcomeInWords(view: ImportView, outcome: ReversalOutcome, corrections: Awaited<ReturnType<typeof correctionsOf>>): string[] {
  const { reversalId, reversed } = outcome;
  const more = outcome.corrections.length - corrections.length;
  const names = [...corrections.map(({ reference, rows }) => `${reference} (${rows})`), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const name = shownReference(view);
  const lines = [
    reversed > 0 && `${unitsOf(view, reversed, `of ${name} is`, `of ${name} are`)} reversed.`,
    corrections.length > 0 && `Corrections of ${name} are reversed${reversed > 0 ? " as well" : ""}: ${names}.`,
    reversed === 0 && reversalId !== null && `${name} is reversed.`,
  ].filter((line) => line !== false);
  if (lines.length === 0) return [`Nothing left to reverse: what you chose of ${name} is already reversed.`];
  return [...lines, ...consequences(view, outcome)];
}

/** The count with its unit and the words after it, such as `1 activity is` and `3 activities are`. */
function unitsOf({ kind }: Pick<ImportView, "kind">, count: number, singular = "", plural = singular): string {
  const [unit, units] = kind === "activities" ? ["activity", "activities"] : ["shipment", "shipments"];
  return countInWords(count, `${unit} ${singular}`, `${units} ${plural}`).trim();
}

function effectInWords(view: ImportView, { reversed, withdrawn }: ReversalOutcome): string {
  if (reversed === 0) return `No ${view.kind} are left to reverse, only ${countInWords(withdrawn, "open rejected row")}.`;
  return view.kind === "activities"
    ? `${unitsOf(view, reversed, "stops", "stop")} counting in totals.`
    : `${countInWords(reversed, "shipment, as this import wrote it, is", "shipments, as this import wrote them, are")} reversed.`;
}

const reversedBefore = (view: ImportView, { alreadyReversed }: ReversalOutcome): string =>
  alreadyReversed > 0 ? `${unitsOf(view, alreadyReversed, "was", "were")} reversed before.` : `The import has recorded no ${view.kind}.`;

/** A sentence for each consequence of the reversal. The wording fits both the preview and the outcome. */
function consequences(view: ImportView, outcome: ReversalOutcome): string[] {
  const { alreadyReversed, superseded, restored, reopened, withdrawn } = outcome;
  const restoredLine =
    view.kind === "activities"
      ? unitsOf(view, restored, "that was replaced by these counts", "that were replaced by these count")
      : countInWords(restored, "earlier version of these shipments shows", "earlier versions of these shipments show");
  const replacedWords = "had been replaced by a later import, and";
  const otherRowsWords = "of other imports, which these had corrected,";
  const lines: readonly (readonly [number, string])[] = [
    [restored, `${restoredLine} again.`],
    [superseded, `${unitsOf(view, superseded, `${replacedWords} does`, `${replacedWords} do`)} not come back if that import is reversed.`],
    [reopened, `${countInWords(reopened, `rejected row ${otherRowsWords} is`, `rejected rows ${otherRowsWords} are`)} open again.`],
    [
      withdrawn,
      `${countInWords(withdrawn, "open rejected row of this import is", "open rejected rows of this import are")} removed from Rejected rows.`,
    ],
    [alreadyReversed, reversedBefore(view, outcome)],
  ];
  return lines.flatMap(([count, line]) => (count > 0 ? [line] : []));
}

function StoppedAmounts({ amounts: { amounts, allRows }, nameOf }: { amounts: ImportAmounts; nameOf: NameOfCustomer }) {
  const lines = billLines(amounts, false);
  const showsAllLines = lines.length <= maxLines;
  return (
    <Panel id="amounts" title="What stops counting">
      <BillTable
        caption="What stops counting, by customer and charge code"
        lines={lines.slice(0, maxLines)}
        sum={{ quantity: showsAllLines ? billSum(amounts).quantity : undefined, rows: allRows }}
        nameOf={nameOf}
      />
      {showsAllLines ? null : <FirstLinesHint hasDownload={false} />}
    </Panel>
  );
}

/** A filter that chooses rows or a shipment to reverse, or the whole import again. */
const OtherChoice = ({ view }: { view: ImportView }) => (
  <Panel id="other-choice" title="Reverse only a part">
    <Chips
      path={reversePath(view.importId)}
      all="The whole import"
      chips={[
        view.kind === "activities"
          ? { name: "rows", label: "Only rows", kind: "text", maxlength: 2_000, placeholder: "5, 9-12" }
          : { name: "shipment", label: "Only shipment", kind: "text", maxlength: limits.identifierLength },
      ]}
    />
  </Panel>
);
