// Get started: what an organisation does in its first hour, each step ticked when it is done.
import type { Child } from "hono/jsx";
import { putFirstStepsAway } from "../../../commands/organisations/firstSteps.js";
import { demoOrganisation } from "../../../demo/demoOrganisation.js";
import { parseOrganisationFile } from "../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../domain/catalogue/schema.js";
import { idOf } from "../../../domain/catalogue/uses.js";
import { firstStepsOf } from "../../../queries/recentWork.js";
import { defineForm, type FormDefinition, originOf, type PageDefinition, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import { ButtonForm } from "../shell/form.js";
import { ButtonLink, Panel } from "../shell/parts.js";
import { addPath, type Entry, listPath, tabOrder } from "./catalogue/cataloguePaths.js";
import { editForm } from "./catalogue/waitingChange.js";
import { presentCatalogue } from "./customers.js";
import { exampleUpload } from "./upload/examples.js";
import { takeUpload } from "./upload/uploadPage.js";

const path = "/portal/first-steps";

/**
 * For an organisation without a completed import; after the example's import it stays until all is done. Viewers have nothing to do, and are
 * not shown it.
 */
export async function getStarted(visit: SignedInVisit, deps: PortalDeps): Promise<Child> {
  if (!visit.may("operate")) return null;
  const { may } = visit;
  const done = await firstStepsOf(visit.person.organisationId, deps.pool);
  if (done.isPutAway || (done.hasImport && !done.hasExample)) return null;
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const { customers, rateCards } = catalogue.file;
  const isPriced = customers.length > 0 && rateCards.length > 0;
  const link = (to: string, label: string) => <ButtonLink to={to} label={label} quiet />;
  const ofAdmins = <span class="muted">An admin does this.</span>;
  /** `ways`: for those who may do it. */
  const steps = [
    {
      label: "Customers and prices",
      isDone: isPriced,
      ways: may("catalogue") ? (
        <>
          <ButtonForm to={`${path}/catalogue`} hidden={{ version: String(catalogueVersion) }} class="" label="Load example catalogue" />
          {customers.length === 0 ? link(addPath("customers"), "Add customer") : link(listPath("rateCards"), "Add prices")}
        </>
      ) : (
        ofAdmins
      ),
    },
    {
      label: "Try the example file",
      isDone: done.hasImport,
      ways: <ButtonForm to={`${path}/example`} class={isPriced ? "" : "quiet"} label="Try the example file" />,
    },
    {
      label: "Invite a colleague",
      isDone: done.hasColleague,
      ways: may("members") ? link("/portal/settings/members?invite=member", "Invite member") : ofAdmins,
    },
    {
      label: "Make a key",
      isDone: done.hasKey,
      ways: may("keys") ? link("/portal/settings/keys?create=key", "Create key") : ofAdmins,
    },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Panel id="get-started" title="Get started">
      <ol class="steps">
        {steps.map(({ label, isDone, ways }) => (
          <li class={isDone ? "done" : undefined}>
            <span class="step">
              {label}
              {isDone ? <span class="unseen">: done</span> : null}
            </span>
            {isDone ? null : <div class="button-row">{ways}</div>}
          </li>
        ))}
      </ol>
      <ButtonForm to={path} label="Put away" about="This list, for everybody in your organisation" />
    </Panel>
  );
}

/** The entries of the example that the organisation has no entries for. */
function withExample(file: OrganisationFile): OrganisationFile {
  const example = parseOrganisationFile(demoOrganisation);
  if (!example.ok) throw new Error(`the example catalogue is faulty: ${example.faults.join("; ")}`);
  const merged = tabOrder.map((section) => {
    const own: readonly Entry[] = file[section];
    const ids = new Set(own.map(idOf));
    return [section, [...own, ...(example.file[section] as readonly Entry[]).filter((entry) => !ids.has(idOf(entry)))]];
  });
  return { ...file, ...Object.fromEntries(merged) };
}

export const firstStepsForms = (overview: PageDefinition): readonly FormDefinition[] => [
  defineForm(overview, { below: "/first-steps", access: "operate" }, async (visit, _, { organisations }) => {
    await putFirstStepsAway(organisations, visit.person.organisationId, originOf(visit));
    return { goTo: "/portal" };
  }),
  editForm(overview, "/first-steps/catalogue", (_, file) => {
    return { file: withExample(file), goTo: "/portal", about: "to the example catalogue" };
  }),
  defineForm(overview, { below: "/first-steps/example", access: "operate" }, (visit, _, deps) =>
    takeUpload(visit, deps, "check", () => exampleUpload("activities", visit, deps)),
  ),
];
