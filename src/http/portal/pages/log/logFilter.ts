import { type LogTopic, logTopics } from "../../../../domain/log/entry.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { LogFilter } from "../../../../queries/log/logEntries.js";
import { listKeys } from "../../../../queries/organisations/keys.js";
import { listMembers } from "../../../../queries/organisations/organisations.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import type { Chip } from "../../shell/chips.js";
import { dayEnd, dayStart } from "../days.js";

export const logPath = "/portal/settings/log";

export const whatNames: Readonly<Record<LogTopic, string>> = {
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
  return { by, what: logTopics.find((what) => what === query["what"]), from, to };
}

export async function chipsOf({ person: { organisationId } }: SignedInVisit, { pool }: PortalDeps): Promise<readonly Chip[]> {
  const [members, keys] = await Promise.all([listMembers(organisationId, pool), listKeys(organisationId, pool)]);
  const people = [
    ...members.map(({ memberId, name, email }) => ({ value: memberId, label: name ? `${name} (${email})` : email })),
    ...keys.map(({ keyId, name, prefix }) => ({ value: keyId, label: `Key ${name} (${prefix})` })),
    { value: "cli", label: "The command line" },
  ];
  const options = people.filter(({ value }, index) => people.findIndex((each) => each.value === value) === index);
  const whats = logTopics.map((value) => ({ value, label: whatNames[value] }));
  return [
    { name: "by", label: "Person or key", kind: "choice", all: "Everyone", options, gone: "A removed member" },
    { name: "what", label: "What", kind: "choice", all: "Everything", options: whats },
    { name: "from", label: "From", kind: "day" },
    { name: "to", label: "To", kind: "day" },
  ];
}
