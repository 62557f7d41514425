import { type LogWhat, logWhats } from "../../../../domain/log/entry.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { LogFilter } from "../../../../queries/log/logEntries.js";
import { listKeys } from "../../../../queries/organisations/keys.js";
import { listMembers } from "../../../../queries/organisations/organisations.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { ButtonLink, Choice, Field } from "../../shell/form.js";
import { FilterForm } from "../../shell/panel.js";
import { dayEnd, dayStart } from "../days.js";

export const logPath = "/portal/settings/log";
export const logFilePath = `${logPath}/log.csv`;

export const whatNames: Readonly<Record<LogWhat, string>> = {
  keys: "API keys",
  members: "Members",
  "sign-ins": "Sign-ins",
  webhooks: "Webhooks",
  catalogue: "Catalogue",
  imports: "Imports",
  corrections: "Corrections",
  reversals: "Reversals",
};

/** Throws a Rejection with a sentence for the page. */
export function filterOf({ query, person: { timezone } }: SignedInVisit): LogFilter {
  const by = query["by"] || undefined;
  if (by !== undefined && !/^[\w-]{1,64}$/.test(by)) throw new Rejection("invalid", "Choose a person or a key from the list");
  const from = dayStart("From", query["from"], timezone);
  const to = dayEnd("To", query["to"], timezone);
  if (from && to && from >= to) throw new Rejection("invalid", "From must not be after To");
  return { by, what: logWhats.find((what) => what === query["what"]), from, to };
}

export const isFiltered = (filter: LogFilter): boolean => Object.values(filter).some((value) => value !== undefined);

/** The filter as it stands in an address. */
export const givenFilter = ({ query: { by, what, from, to } }: SignedInVisit) => ({ by, what, from, to });

export async function choicesOf({ person: { organisationId } }: SignedInVisit, { pool }: PortalDeps) {
  const [members, keys] = await Promise.all([listMembers(pool, organisationId), listKeys(pool, organisationId)]);
  const choices = [
    ...members.map(({ memberId, name, email }) => ({ value: memberId, label: name ? `${name} (${email})` : email })),
    ...keys.map(({ keyId, name, prefix }) => ({ value: keyId, label: `Key ${name} (${prefix})` })),
    { value: "cli", label: "The command line" },
  ];
  return choices.filter(({ value }, index) => choices.findIndex((each) => each.value === value) === index);
}

interface FiltersProps {
  readonly visit: SignedInVisit;
  readonly filter: LogFilter;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

export function Filters({ visit, filter, choices }: FiltersProps) {
  const { query, links } = visit;
  const { by = "", what } = filter;
  const gone = by !== "" && !choices.some(({ value }) => value === by) ? [{ value: by, label: "A removed member" }] : [];
  const whats = logWhats.map((value) => ({ value, label: whatNames[value] }));
  return (
    <FilterForm
      visit={visit}
      path={logPath}
      all={isFiltered(filter) ? links.to(logPath) : undefined}
      after={<ButtonLink to={links.to(logFilePath, givenFilter(visit))} label="Download CSV" quiet />}
    >
      <Choice label="Person or key" name="by" value={by} options={[{ value: "", label: "Everyone" }, ...choices, ...gone]} />
      <Choice label="What" name="what" value={what} options={[{ value: "", label: "Everything" }, ...whats]} />
      <Field label="From" name="from" type="date" value={query["from"]} required={false} />
      <Field label="To" name="to" type="date" value={query["to"]} required={false} />
    </FilterForm>
  );
}
