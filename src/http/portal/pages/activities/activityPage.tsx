// One activity: what was recorded, by whom, whether it counts, and a form that corrects it.
import { randomUUID } from "node:crypto";
import { type ImportToCorrect, loadImportToCorrect } from "../../../../commands/corrections/correctableRows.js";
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import { whyNotCorrectable } from "../../../../commands/corrections/openRows.js";
import { fieldsOf } from "../../../../domain/imports/fields.js";
import { isLongerThan, limits } from "../../../../domain/imports/limits.js";
import type { NameOf } from "../../../../domain/principal.js";
import { formatRecordedValues } from "../../../../domain/pushes/correctedFile.js";
import { rangesInWords, rangesOf } from "../../../../domain/ranges.js";
import { Rejection } from "../../../../domain/rejection.js";
import { isStorable } from "../../../../domain/rows/cells.js";
import { isUuid } from "../../../../domain/uuid.js";
import { decimalMarkOf } from "../../../../events/importEvents.js";
import { type ActivityWithState, findActivity } from "../../../../queries/activities/activitiesInPushOrder.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import { rowsToCorrect } from "../../../../queries/lookUps/rejectedRows.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { type Fields, readReason } from "../../fields.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { Button, Field, Form, ReasonField } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, type Fact, Facts, Link, Panel, Sentence, Time, withQuery } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { sendCorrection } from "../corrections/correctionAnswers.js";
import { rowsByImport } from "../corrections/shownRows.js";
import { currentCatalogue, type NameOfCustomer } from "../customers.js";
import { historyPath, importCrumbs, importPath, reversePath, shownReference } from "../imports/importStatus.js";
import { BillingState, shownValue } from "./activityRows.js";
import { activitiesPath, activityPath, selectionPath } from "./selection.js";

export const activityPage = definePage(`${activitiesPath}/{importId}/{row}`, "look", async (visit, deps) => {
  const { activity, sourceImport } = await requireActivity(visit, deps);
  const [obstacle, nameOf, { nameOf: customerName }] = await Promise.all([
    whyNotCorrectable(deps, sourceImport, activity.row),
    principalNames(visit.person.organisationId, deps.pool),
    currentCatalogue(visit, deps),
  ]);
  return {
    title: "Activity",
    crumbs: importCrumbs({ importId: activity.importId, reference: sourceImport.request.sourceDetails }),
    menu: [{ label: "History of this row", to: historyPath(activity.importId, activity.row) }],
    body: (
      <>
        <Panel id="recorded" title="As recorded">
          <Facts facts={factsOf({ activity, sourceImport }, nameOf, customerName)} />
        </Panel>
        {obstacle && !activity.reversed ? (
          <Panel id="correct" title="Correct">
            <p>
              <Sentence text={obstacle.sentence} />
            </p>
          </Panel>
        ) : null}
        {obstacle === undefined && visit.may("operate") ? <CorrectionPanel activity={activity} sourceImport={sourceImport} /> : null}
      </>
    ),
  };
});

type ActivityView = Awaited<ReturnType<typeof requireActivity>>;

/** The activity, and the import that recorded it. */
async function requireActivity(visit: SignedInVisit, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const { importId = "", row: rowText = "" } = visit.params;
  const row = /^\d{1,9}$/.test(rowText) ? Number(rowText) : 0;
  const activity = isUuid(importId) && row > 0 ? await findActivity(organisationId, { importId, row }, deps.pool) : undefined;
  if (!activity) throw new Rejection("notFound", "There is no activity with this row");
  return { activity, sourceImport: await loadImportToCorrect(deps, { organisationId, importId, kind: "activities" }) };
}

function factsOf({ activity, sourceImport }: ActivityView, nameOf: NameOf, customerName: NameOfCustomer): Fact[] {
  const { importId, row, values, reversed } = activity;
  const { sourceDetails, by, at } = sourceImport.request;
  const reversalNote = reversed ? [" ", <Time at={new Date(reversed.at)} />, `: ${reversed.reason}`] : null;
  return [
    ["Billing", [<BillingState {...activity} />, reversalNote]],
    ...fieldsOf("activity").map(({ name, heading }): Fact => [heading, shownValue(name, values[name], customerName, true)]),
    ["Import", <Link to={importPath(importId)}>{shownReference({ reference: sourceDetails })}</Link>],
    ["Row", String(row)],
    ["Submitted by", nameOf(by)],
    ["Submitted", <Time at={new Date(at)} />],
    ...correctedRowFacts(activity, sourceImport),
  ];
}

/** A link to the row that this activity corrects, if it does. The rows of a correction are in the order of the rows that they correct. */
function correctedRowFacts(activity: ActivityWithState, { request }: ImportToCorrect): Fact[] {
  const original = request.corrects?.rows[activity.row - 1];
  if (!request.corrects || original === undefined) return [];
  const { importId, accepted = [], reason } = request.corrects;
  const path = accepted.includes(original) ? activityPath(importId, original) : historyPath(importId, original);
  return [
    ["Corrects", <Link to={path}>row {original} of an earlier import</Link>],
    ...(reason === undefined ? [] : [["Reason", reason] as const]),
  ];
}

const inputName = (field: string) => `values.${field}`;

/** The values as the form shows them. Numbers have the decimal mark of the import's file, because the correction is read with that mark. */
function valuesToCorrect({ activity: { values }, sourceImport: { request } }: ActivityView): Record<string, string> {
  const texts = Object.fromEntries(fieldsOf("activity").map(({ name }) => [name, String(values[name] ?? "")]));
  return formatRecordedValues(texts, "activities", decimalMarkOf(request));
}

function CorrectionPanel(view: ActivityView) {
  const { importId, row } = view.activity;
  const values = valuesToCorrect(view);
  return (
    <Panel id="correct" title="Correct">
      <Form to={activityPath(importId, row)} class="stacked columns" hidden={{ key: randomUUID() }}>
        <p class="hint">
          Your correction becomes a new import. This activity counts until the new one does. If you reverse the new one, this one counts
          again.
        </p>
        {fieldsOf("activity").map(({ name, heading, required }) => (
          <Field
            label={heading}
            name={inputName(name)}
            id={`field-${name}`}
            value={values[name]}
            maxlength={limits.textLength}
            required={required === "value"}
          />
        ))}
        <ReasonField hint="Everybody who opens the new import can see this." />
        <div class="button-row">
          <Button label="Correct" />
          <ButtonLink to={withQuery(reversePath(importId), { rows: String(row) })} label="Reverse this row" quiet />
        </div>
      </Form>
    </Panel>
  );
}

const faults = { reason: /^Give a reason/ };

export const correctForm = defineForm(activityPage, { subPath: "", access: "operate", faults }, async (visit, fields, deps) => {
  const recorded = await requireActivity(visit, deps);
  const { importId, row } = recorded.activity;
  const { catalogue } = await currentCatalogue(visit, deps);
  const push = { rows: [{ row, values: changedValues(valuesToCorrect(recorded), fields) }], reason: readReason(fields) };
  const sentValues = await rowsToCorrect(recorded.sourceImport.position, [row], deps.pool);
  const toJudge = { ...push, importId, kind: "activities", catalogue, sentValues, acceptedRows: new Set([row]) } as const;
  const verdict = (await judgeCorrections(toJudge, deps)).get(row);
  if (verdict) throw new Rejection("invalid", verdict.reason);
  const key = fields.get("key"); // created with the form, so that a form sent twice makes one import
  const idempotencyKey = isUuid(key) ? key : randomUUID();
  const correction = await sendCorrection(visit, deps, { importId, kind: "activities", push, idempotencyKey });
  return withNotice(importPath(correction.importId), "Correction submitted. The old activity counts until the new one does.");
});

function changedValues(values: Readonly<Record<string, string>>, fields: Fields): Record<string, string> {
  const changed = fieldsOf("activity").flatMap(({ name }) => {
    const [text] = fields.all(inputName(name));
    return text === undefined || text === values[name] ? [] : [[name, text] as const];
  });
  if (changed.length === 0) throw new Rejection("invalid", "Change at least one value");
  if (changed.some(([, value]) => isLongerThan(value, limits.textLength) || !isStorable(value)))
    throw new Rejection("invalid", `A value must have at most ${limits.textLength} characters, and none that cannot be stored`);
  return Object.fromEntries(changed);
}

/** Leads to the page that corrects a single row, or reverses rows of a single import. For more rows or imports it lists a link for each. */
export const selectedRowsPage = definePage(selectionPath, "operate", async (visit, deps) => {
  const selection = await selectedRowsIn(visit, deps);
  const [first] = selection;
  const isCorrection = visit.query["do"] === "correct";
  if (isCorrection && first && selection.length === 1 && first.rows.length === 1)
    return { goTo: activityPath(first.importId, first.rows[0] ?? 0) };
  if (!isCorrection && first && selection.length === 1) return { goTo: reverseRowsPath(first) };
  const back = visit.query["back"] ?? "";
  const empty = <p>Go back and select rows in the first column.</p>;
  return {
    title: isCorrection ? "Correct rows" : "Reverse rows",
    crumbs: [["Activities", back.startsWith(`${activitiesPath}?`) ? back : activitiesPath]],
    body: (
      <Panel id="chosen" title={first ? `Rows of ${countInWords(selection.length, "import")} are selected` : "No rows are selected"}>
        {first ? <p>Rows are {isCorrection ? "corrected one by one" : "reversed one import at a time"}. Start with one of these.</p> : null}
        <Table caption="Selected rows by import" columns={selectionColumns(isCorrection)} rows={selection} empty={empty} />
      </Panel>
    ),
  };
});

const maxSelectedRows = 200;

type SelectedRows = Awaited<ReturnType<typeof selectedRowsIn>>[number];

/** Reads the query's parameters `row=<import id>:<row>`. */
async function selectedRowsIn({ context, person }: SignedInVisit, deps: PortalDeps) {
  const rowParameters = context.req.queries("row") ?? [];
  if (rowParameters.length > maxSelectedRows) throw new Rejection("invalid", `Select at most ${maxSelectedRows} rows at a time`);
  return Promise.all(
    rowsByImport(rowParameters).map(async ([importId, rows]) => {
      const { view } = await requireImport(person.organisationId, { kind: "activities", importId }, deps);
      return { importId, rows, reference: shownReference(view) };
    }),
  );
}

const reverseRowsPath = ({ importId, rows }: SelectedRows): string =>
  withQuery(reversePath(importId), { rows: rangesInWords(rangesOf(rows)) });

const selectionColumns = (isCorrection: boolean): readonly Column<SelectedRows>[] => [
  { heading: "Import", isRowHeader: true, cell: ({ importId, reference }) => <Link to={importPath(importId)}>{reference}</Link> },
  { heading: "Rows", number: true, value: ({ rows }) => rows.length },
  {
    heading: isCorrection ? "Corrections" : "Reversal",
    cell: (each) =>
      isCorrection ? (
        <span class="button-row">
          {each.rows.map((row) => (
            <Link to={activityPath(each.importId, row)}>Correct row {row}</Link>
          ))}
        </span>
      ) : (
        <ButtonLink to={reverseRowsPath(each)} label="Reverse rows" quiet aria-description={each.reference} />
      ),
  },
];
