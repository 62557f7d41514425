// One activity: what was recorded, by whom, whether it counts, and a form that corrects it.
import { randomUUID } from "node:crypto";
import { completedImport, type ImportToCorrect } from "../../../../commands/corrections/correctableRows.js";
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import { whyNotCorrectable } from "../../../../commands/corrections/openRows.js";
import { fieldsOf } from "../../../../domain/imports/fields.js";
import { isLonger, limits } from "../../../../domain/imports/limits.js";
import type { NameOf } from "../../../../domain/principal.js";
import { writtenValues } from "../../../../domain/pushes/correctedFile.js";
import { rangesInWords, rangesOf } from "../../../../domain/ranges.js";
import { Rejection } from "../../../../domain/rejection.js";
import { isStorable } from "../../../../domain/rows/cells.js";
import { isUuid } from "../../../../domain/uuid.js";
import { decimalMarkOf } from "../../../../events/importEvents.js";
import { type ActivityWithState, findActivity } from "../../../../queries/activities/activitiesInPushOrder.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import { rowsToCorrect } from "../../../../queries/lookUps/rejectedRows.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { type Fields, reasonIn } from "../../fields.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { Button, Field, Form, ReasonField } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, type Fact, Facts, Link, Panel, Sentence, Time, withQuery } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";
import { sendCorrection } from "../corrections/correctionAnswers.js";
import { rowsByImport } from "../corrections/shownRows.js";
import { type NameOfCustomer, presentCatalogue } from "../customers.js";
import { historyPath, importCrumbs, importPath, reversePath, shownReference } from "../imports/importStatus.js";
import { CountState, shownValue } from "./activityRows.js";
import { activitiesPath, activityPath, chosenPath } from "./selection.js";

export const activityPage = definePage(`${activitiesPath}/{importId}/{row}`, "look", async (visit, deps) => {
  const { activity, found } = await requireActivity(visit, deps);
  const [closed, nameOf, { nameOf: customerNamed }] = await Promise.all([
    whyNotCorrectable(deps, found, activity.row),
    principalNames(visit.person.organisationId, deps.pool),
    presentCatalogue(visit, deps),
  ]);
  return {
    title: "Activity",
    crumbs: importCrumbs({ importId: activity.importId, reference: found.request.sourceDetails }),
    menu: [{ label: "History of this row", to: historyPath(activity.importId, activity.row) }],
    body: (
      <>
        <Panel id="recorded" title="As recorded">
          <Facts facts={factsOf({ activity, found }, nameOf, customerNamed)} />
        </Panel>
        {closed && !activity.reversed ? (
          <Panel id="correct" title="Correct">
            <p>
              <Sentence text={closed.sentence} />
            </p>
          </Panel>
        ) : null}
        {closed === undefined && visit.may("operate") ? <CorrectionPanel activity={activity} found={found} /> : null}
      </>
    ),
  };
});

type ActivityView = Awaited<ReturnType<typeof requireActivity>>;

/** The activity, and the import that recorded it. */
async function requireActivity(visit: SignedInVisit, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const { importId = "", row: text = "" } = visit.params;
  const row = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  const activity = isUuid(importId) && row > 0 ? await findActivity(organisationId, { importId, row }, deps.pool) : undefined;
  if (!activity) throw new Rejection("notFound", "There is no activity with this row");
  return { activity, found: await completedImport(deps, { organisationId, importId, kind: "activities" }) };
}

function factsOf({ activity, found }: ActivityView, nameOf: NameOf, customerNamed: NameOfCustomer): Fact[] {
  const { importId, row, values, reversed } = activity;
  const { sourceDetails, by, at } = found.request;
  const why = reversed ? [" ", <Time at={new Date(reversed.at)} />, `: ${reversed.reason}`] : null;
  return [
    ["Billing", [<CountState {...activity} />, why]],
    ...fieldsOf("activity").map(({ name, heading }): Fact => [heading, shownValue(name, values[name], customerNamed, true)]),
    ["Import", <Link to={importPath(importId)}>{shownReference({ reference: sourceDetails })}</Link>],
    ["Row", String(row)],
    ["Submitted by", nameOf(by)],
    ["Submitted", <Time at={new Date(at)} />],
    ...corrects(activity, found),
  ];
}

/** The row that this one corrects, if its import is a correction. The rows of a correction stand in the order of the rows that they correct. */
function corrects(activity: ActivityWithState, { request }: ImportToCorrect): Fact[] {
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

/** The values as the form shows them. Numbers are written as in the import's file, since the correction is read in the same way. */
function valuesToCorrect({ activity: { values }, found: { request } }: ActivityView): Record<string, string> {
  const texts = Object.fromEntries(fieldsOf("activity").map(({ name }) => [name, String(values[name] ?? "")]));
  return writtenValues(texts, "activities", decimalMarkOf(request));
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

export const correctForm = defineForm(activityPage, { below: "", access: "operate", faults }, async (visit, fields, deps) => {
  const known = await requireActivity(visit, deps);
  const { importId, row } = known.activity;
  const { catalogue } = await presentCatalogue(visit, deps);
  const push = { rows: [{ row, values: changedValues(valuesToCorrect(known), fields) }], reason: reasonIn(fields) };
  const earlier = await rowsToCorrect(known.found.position, [row], deps.pool);
  const toJudge = { ...push, importId, kind: "activities", catalogue, earlier, accepted: new Set([row]) } as const;
  const verdict = (await judgeCorrections(toJudge, deps)).get(row);
  if (verdict) throw new Rejection("invalid", verdict.reason);
  const key = fields.get("key"); // made with the form, so that a form that is sent twice makes one import
  const idempotencyKey = isUuid(key) ? key : randomUUID();
  const correction = await sendCorrection(visit, deps, { importId, kind: "activities", push, idempotencyKey });
  return withNotice(importPath(correction.importId), "Correction submitted. The old activity counts until the new one does.");
});

function changedValues(values: Readonly<Record<string, string>>, fields: Fields): Record<string, string> {
  const changed = fieldsOf("activity").flatMap(({ name }) => {
    const [given] = fields.all(inputName(name));
    return given === undefined || given === values[name] ? [] : [[name, given] as const];
  });
  if (changed.length === 0) throw new Rejection("invalid", "Change at least one value");
  if (changed.some(([, value]) => isLonger(value, limits.textLength) || !isStorable(value)))
    throw new Rejection("invalid", `A value must have at most ${limits.textLength} characters`);
  return Object.fromEntries(changed);
}

/** Leads to the reversal or the correction of the chosen rows. A reversal is of one import, and rows are corrected one by one: more are listed. */
export const chosenRowsPage = definePage(chosenPath, "operate", async (visit, deps) => {
  const chosen = await chosenIn(visit, deps);
  const [only] = chosen;
  const isCorrection = visit.query["do"] === "correct";
  if (isCorrection && only && chosen.length === 1 && only.rows.length === 1)
    return { goTo: activityPath(only.importId, only.rows[0] ?? 0) };
  if (!isCorrection && only && chosen.length === 1) return { goTo: addressOf(only) };
  const back = visit.query["back"] ?? "";
  const empty = <p>Go back and select rows in the first column.</p>;
  return {
    title: isCorrection ? "Correct rows" : "Reverse rows",
    crumbs: [["Activities", back.startsWith(`${activitiesPath}?`) ? back : activitiesPath]],
    body: (
      <Panel id="chosen" title={only ? `Rows of ${countInWords(chosen.length, "import")} are selected` : "No rows are selected"}>
        {only ? <p>Rows are {isCorrection ? "corrected one by one" : "reversed one import at a time"}. Start with one of these.</p> : null}
        <Table caption="Selected rows by import" columns={columns(isCorrection)} rows={chosen} empty={empty} />
      </Panel>
    ),
  };
});

const mostChosen = 200;

type SelectedRows = Awaited<ReturnType<typeof chosenIn>>[number];

/** `row=<import id>:<row>`, once for each. */
async function chosenIn({ context, person }: SignedInVisit, deps: PortalDeps) {
  const given = context.req.queries("row") ?? [];
  if (given.length > mostChosen) throw new Rejection("invalid", `Select at most ${mostChosen} rows at a time`);
  return Promise.all(
    rowsByImport(given).map(async ([importId, rows]) => {
      const { view } = await requireImport(person.organisationId, { kind: "activities", importId }, deps);
      return { importId, rows, reference: shownReference(view) };
    }),
  );
}

const addressOf = ({ importId, rows }: SelectedRows): string => withQuery(reversePath(importId), { rows: rangesInWords(rangesOf(rows)) });

const columns = (isCorrection: boolean): readonly Column<SelectedRows>[] => [
  { heading: "Import", names: true, cell: ({ importId, reference }) => <Link to={importPath(importId)}>{reference}</Link> },
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
        <ButtonLink to={addressOf(each)} label="Reverse rows" quiet aria-description={each.reference} />
      ),
  },
];
