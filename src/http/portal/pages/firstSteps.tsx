// The panel Get started of the overview: the first steps of a new organisation. Each step is ticked when it is done.
import type { Child } from "hono/jsx";
import { putFirstStepsAway } from "../../../commands/organisations/firstSteps.js";
import { demoOrganisation } from "../../../demo/demoOrganisation.js";
import { parseOrganisationFile } from "../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../domain/catalogue/schema.js";
import { entryId } from "../../../domain/catalogue/uses.js";
import { firstStepsOf } from "../../../queries/recentWork.js";
import { defineForm, type FormDefinition, originOf, type PageDefinition, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import { ButtonForm } from "../shell/form.js";
import { ButtonLink, Panel } from "../shell/markup.js";
import { addPath, type Entry, listPath, tabOrder } from "./catalogue/cataloguePaths.js";
import { editForm } from "./catalogue/waitingChange.js";
import { currentCatalogue } from "./customers.js";
import { exampleUpload } from "./upload/examples.js";
import { takeUpload } from "./upload/uploadPage.js";

const path = "/portal/first-steps";

/**
 * The panel, or null. It is for organisations without a completed import. After an import of the example file it stays until all steps are
 * done. Viewers never get it, since they can do none of the steps.
 */
export async function firstStepsPanel(visit: SignedInVisit, deps: PortalDeps): Promise<Child> {
  if (!visit.may("operate")) return null;
  const { may } = visit;
  const done = await firstStepsOf(visit.person.organisationId, deps.pool);
  if (done.isPutAway || (done.hasImport && !done.hasExample)) return null;
  const { catalogue, catalogueVersion } = await currentCatalogue(visit, deps);
  const { customers, rateCards } = catalogue.file;
  const isPriced = customers.length > 0 && rateCards.length > 0;
  const link = (to: string, label: string) => <ButtonLink to={to} label={label} quiet />;
  const adminHint = <span class="muted">An admin does this.</span>;
  const steps = [
    {
      label: "Customers and prices",
      isDone: isPriced,
      buttons: may("catalogue") ? (
        <>
          <ButtonForm to={`${path}/catalogue`} hidden={{ version: String(catalogueVersion) }} class="" label="Load example catalogue" />
          {customers.length === 0 ? link(addPath("customers"), "Add customer") : link(listPath("rateCards"), "Add prices")}
        </>
      ) : (
        adminHint
      ),
    },
    {
      label: "Try the example file",
      isDone: done.hasImport,
      buttons: <ButtonForm to={`${path}/example`} class={isPriced ? "" : "quiet"} label="Try the example file" />,
    },
    {
      label: "Invite a colleague",
      isDone: done.hasColleague,
      buttons: may("members") ? link("/portal/settings/members?invite=member", "Invite member") : adminHint,
    },
    {
      label: "Create a key",
      isDone: done.hasKey,
      buttons: may("keys") ? link("/portal/settings/keys?create=key", "Create key") : adminHint,
    },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Panel id="get-started" title="Get started">
      <ol class="steps">
        {steps.map(({ label, isDone, buttons }) => (
          <li class={isDone ? "done" : undefined}>
            <span class="step">
              {label}
              {isDone ? <span class="unseen">: done</span> : null}
            </span>
            {isDone ? null : <div class="button-row">{buttons}</div>}
          </li>
        ))}
      </ol>
      <ButtonForm to={path} label="Put away" about="This list, for everybody in your organisation" />
    </Panel>
  );
}

/** Adds those entries of the example catalogue whose ids the organisation does not have. */
function withExample(file: OrganisationFile): OrganisationFile {
  const example = parseOrganisationFile(demoOrganisation);
  if (!example.ok) throw new Error(`the example catalogue is faulty: ${example.faults.join("; ")}`);
  const merged = tabOrder.map((section) => {
    const ownEntries: readonly Entry[] = file[section];
    const ids = new Set(ownEntries.map(entryId));
    return [section, [...ownEntries, ...(example.file[section] as readonly Entry[]).filter((entry) => !ids.has(entryId(entry)))]];
  });
  return { ...file, ...Object.fromEntries(merged) };
}

export const firstStepsForms = (overview: PageDefinition): readonly FormDefinition[] => [
  defineForm(overview, { subPath: "/first-steps", access: "operate" }, async (visit, _, { organisations }) => {
    await putFirstStepsAway(organisations, visit.person.organisationId, originOf(visit));
    return { goTo: "/portal" };
  }),
  editForm(overview, "/first-steps/catalogue", (_, file) => {
    return { file: withExample(file), goTo: "/portal", about: "to the example catalogue" };
  }),
  defineForm(overview, { subPath: "/first-steps/example", access: "operate" }, (visit, _, deps) =>
    takeUpload(visit, deps, "check", () => exampleUpload("activities", visit, deps)),
  ),
];
