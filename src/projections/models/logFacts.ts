// What the log keeps of each event that it shows.
import { changesInBrief } from "../../domain/catalogue/changesInBrief.js";
import type { LogDetails, LogTopic } from "../../domain/log/entry.js";
import type { LoggedEvent } from "../../domain/log/sentences.js";
import type { EventDataOf, EventType } from "../../events/registry.js";

interface LogFacts {
  /** The id of the thing that the entry is about. */
  readonly about: string;
  readonly details?: LogDetails;
  /** Where it is not the event's usual one. */
  readonly what?: LogTopic;
}

/** The stream's name without its prefix: the id of the member whose event it is. */
type FactsOf<T extends EventType> = (data: EventDataOf<T>, streamId: string) => LogFacts | undefined;

const ofKey = ({ keyId }: { readonly keyId: string }): LogFacts => ({ about: keyId });
const ofWebhook = ({ endpointId }: { readonly endpointId: string }): LogFacts => ({ about: endpointId });

export const logFactsOf: { readonly [T in LoggedEvent]: FactsOf<T> } = {
  ApiKeyCreated: ofKey,
  ApiKeyRotated: ofKey,
  ApiKeyRevoked: ofKey,
  MemberInvited: ({ role }, memberId) => ({ about: memberId, details: { role } }),
  MemberLinkMade: (_, memberId) => ({ about: memberId }),
  MemberJoined: ({ how }, memberId) => ({ about: memberId, details: { how } }),
  MemberPasswordSet: (_, memberId) => ({ about: memberId }),
  MemberRoleChanged: ({ role }, memberId) => ({ about: memberId, details: { role } }),
  MemberRenamed: (_, memberId) => ({ about: memberId }),
  MemberRemoved: (_, memberId) => ({ about: memberId }),
  MemberForgotten: ({ memberId }) => ({ about: memberId }),
  MemberSignedIn: ({ memberId, how }) => ({ about: memberId, details: { how } }),
  MemberSignInRefused: ({ memberId }) => ({ about: memberId }),
  WebhookAdded: ({ endpointId }) => ({ about: endpointId, details: { generation: 1 } }),
  WebhookChanged: ({ endpointId, generation }) => ({ about: endpointId, details: { generation } }),
  WebhookRemoved: ofWebhook,
  WebhookPaused: ofWebhook,
  WebhookResumed: ofWebhook,
  CatalogueApplied: ({ version, changes }) => ({ about: String(version), details: { changes: changesInBrief(changes) } }),
  ImportRequested: ({ importId, kind, source, corrects }) =>
    corrects
      ? { about: corrects.importId, details: { kind, count: corrects.rows.length }, what: "corrections" }
      : { about: importId, details: { kind, source } },
  ColumnsMapped: ({ kind, headings }) => ({ about: kind, details: { count: Object.keys(headings).length } }),
  // With a reason the service has cancelled it by itself.
  ImportCancelled: ({ importId, reason }) => (reason === undefined ? { about: importId } : undefined),
  RowsDismissed: ({ importId, rows }) => ({ about: importId, details: { count: rows.length } }),
  RowsReopened: ({ importId, rows }) => ({ about: importId, details: { count: rows.length } }),
  RowsReversed: ({ importId, rows, shipments, count, includedIn }) => ({
    about: importId,
    details: {
      count,
      ...(rows === "all" ? { all: true } : { kind: shipments ? "shipments" : "activities" }),
      ...(includedIn ? { included: true } : {}),
    },
  }),
};
