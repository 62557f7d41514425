// What the forms of the catalogue share. A form builds a whole organisation file from the version that it was made from; the file is checked
// and applied as `org apply` does it. If another person has applied one meanwhile, the form is shown again with what they changed.
import type { Child } from "hono/jsx";
import { applyOrganisation } from "../../../../commands/organisations/organisation.js";
import { diffCatalogue } from "../../../../domain/catalogue/diff.js";
import { parseOrganisationFile } from "../../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { firstOf } from "../../../../domain/validation.js";
import { catalogueVersionsBetween } from "../../../../queries/organisations/catalogueVersions.js";
import { catalogueAt, principalNames } from "../../../../queries/organisations/organisations.js";
import { answerTable } from "../../../server/problem.js";
import type { Fields } from "../../fields.js";
import {
  type Done,
  done,
  type FormOf,
  type Notice,
  originOf,
  type PageOf,
  type PortalDeps,
  type Shown,
  type SignedInVisit,
} from "../../page.js";
import { timeInWords } from "../../shell/formats.js";
import { presentCatalogue } from "../customers.js";

/** What a form's page is made of. */
export interface FormView {
  readonly visit: SignedInVisit;
  /** The current catalogue. */
  readonly file: OrganisationFile;
  /** The version that the form was made from. */
  readonly version: number;
}

interface Change {
  readonly file: OrganisationFile;
  /** The page of the changed thing. */
  readonly goTo: string;
  readonly line: string;
  /** Of the entry in the file: its faults begin with this path, and the form has labels for its fields. */
  readonly path: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface CatalogueForm {
  readonly path: string;
  readonly title: (view: FormView) => string;
  readonly body: (view: FormView) => Child;
  /** The changed file, from the one that the form was made from. */
  readonly change: (fields: Fields, file: OrganisationFile, visit: SignedInVisit) => Change;
}

/** The page of a form and the form itself, at one address. */
export function catalogueForm({ path, title, body, change }: CatalogueForm): { page: PageOf<SignedInVisit>; form: FormOf<SignedInVisit> } {
  const show = async (visit: SignedInVisit, deps: PortalDeps, madeFrom?: number): Promise<Shown> => {
    const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
    const given = Number(visit.submitted.get("version"));
    const isKnown = Number.isInteger(given) && given >= 1 && given <= catalogueVersion;
    const view = { visit, file: catalogue.file, version: madeFrom ?? (isKnown ? given : catalogueVersion) };
    return { title: title(view), body: body(view) };
  };
  const page: PageOf<SignedInVisit> = { path, access: "catalogue", show };
  const submit = async (visit: SignedInVisit, fields: Fields, deps: PortalDeps): Promise<Done | Shown> => {
    const version = versionOf(fields);
    const base = await catalogueAt(deps.pool, visit.person.organisationId, version);
    if (!base) throw new Rejection("invalid", "This form is out of date. Open it again");
    const changed = change(fields, base, visit);
    const { file, goTo, line } = changed;
    const parsed = parseOrganisationFile(file);
    if (!parsed.ok) throw refusal(parsed.faults, changed);
    try {
      const { changes } = await applyOrganisation(deps.organisations, parsed.file, originOf(visit), { madeFrom: version });
      return done(goTo, changes.length === 0 ? "Nothing has changed." : line);
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== "conflict") throw error;
      const { catalogueVersion } = await presentCatalogue(visit, deps);
      const notice = await changedMeanwhile(visit, deps, version, "Check your entries and save again.");
      const shown = await show({ ...visit, submitted: fields }, deps, catalogueVersion);
      return { ...shown, notice, status: answerTable.conflict.status };
    }
  };
  return { page, form: { path, access: "catalogue", page, submit } };
}

export const versionOf = (fields: Fields): number => (/^[1-9]\d{0,8}$/.test(fields.get("version")) ? Number(fields.get("version")) : 0);

/** The faults in the form's words. A change may also be refused for what it does to a customer: that fault names the customer. */
function refusal(faults: readonly string[], { file, path, labels }: Change): Rejection {
  const customer = (_: string, index: string) => `Customer ${file.customers[Number(index)]?.id ?? index}: `;
  const lines = faults.map((fault) => {
    if (!fault.startsWith(`${path}.`)) return `${fault.replace(/^customers\.(\d+)\.rateCardIds\.\d+ /, customer)}.`;
    const [, field = "", rest = ""] = /^(\w+)(?:\.\d+)?(.*)$/s.exec(fault.slice(path.length + 1)) ?? [];
    return `${labels[field] ?? field}${rest}.`;
  });
  const shown = firstOf(new Set(lines));
  return new Rejection("invalid", shown[0] ?? "These changes cannot be saved.", shown);
}

const mostShown = 20;

/** Who changed the catalogue since a version, and what. */
export async function changedMeanwhile(visit: SignedInVisit, deps: PortalDeps, since: number, then: string): Promise<Notice> {
  const { organisationId, timezone } = visit.person;
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const [before, versions, nameOf] = await Promise.all([
    catalogueAt(deps.pool, organisationId, since),
    catalogueVersionsBetween(organisationId, { after: since, upTo: catalogueVersion, most: mostShown }, deps),
    principalNames(deps.pool, organisationId),
  ]);
  const names = [...new Set(versions.flatMap(({ by }) => (by ? [nameOf(by)] : [])))].join(", ") || "Somebody";
  const [last] = versions;
  const when = last?.appliedAt ? ` on ${timeInWords(last.appliedAt, timezone)}` : "";
  const changes = diffCatalogue(before, catalogue.file);
  const more = changes.length > mostShown ? [`and ${changes.length - mostShown} more`] : [];
  return {
    kind: "error",
    lines: [
      `Nothing was saved: ${names} changed the catalogue${when}, after you had opened this page. ${then}`,
      ...changes.slice(0, mostShown),
      ...more,
    ],
  };
}
