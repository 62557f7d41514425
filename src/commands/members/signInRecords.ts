// Records sign-ins for the organisation's log. A sign-in does not need its record: people can sign in while the event store is unavailable.
import { randomUUID } from "node:crypto";
import { signInDays } from "../../domain/log/entry.js";
import { encode } from "../../events/codec.js";
import { monthEnd, signInsId } from "../../events/memberEvents.js";
import type { EventDataOf } from "../../events/registry.js";
import { streamOf } from "../../events/streams.js";
import type { Stores } from "../../ports/database.js";
import { noStream } from "../../ports/eventStore.js";
import { withTimeLimit } from "../../timeLimit.js";
import { retryConflicts } from "../handle.js";
import type { MemberDeps, MemberRef } from "./changeMember.js";

type Deps = Pick<MemberDeps, "eventStore" | "now">;
type OnFailure = (error: unknown) => void;

/** How long a sign-in waits for its record. The append goes on afterwards. */
const maxRecordWaitMs = 500;
const maxRecordMs = 5_000;

/** Never throws: a failure goes to `onFailure`. */
export async function recordSignIn(
  deps: Deps,
  member: MemberRef,
  { how, correlationId }: { readonly how: EventDataOf<"MemberSignedIn">["how"]; readonly correlationId: string },
  onFailure: OnFailure,
): Promise<void> {
  const recording = appendRecord(deps, member, correlationId, how).catch(onFailure);
  await withTimeLimit(maxRecordWaitMs, recording, () => undefined);
}

/**
 * Records for each of these members that a wrong password was given. Does not wait for the appends, so that the answer's time does not
 * reveal whether the e-mail is known. The limits of signInPace.ts also limit the number of records.
 */
export function recordRefusals(deps: Deps, members: readonly MemberRef[], correlationId: string, onFailure: OnFailure): void {
  for (const member of members) void appendRecord(deps, member, correlationId).catch(onFailure);
}

/** Without `how` it records a refusal. A month's stream may have thousands of events, so only the last one is read, for its revision. */
async function appendRecord(
  { eventStore, now }: Deps,
  { organisationId, memberId }: MemberRef,
  correlationId: string,
  how?: EventDataOf<"MemberSignedIn">["how"],
): Promise<void> {
  const at = await now();
  const by = { kind: "member", id: memberId } as const;
  const data = { organisationId, memberId, by, at: at.toISOString() };
  const context = { organisation: organisationId, by, correlationId };
  const id = randomUUID();
  const event = how ? encode("MemberSignedIn", { ...data, how }, context, id) : encode("MemberSignInRefused", data, context, id);
  const stream = streamOf.signIns(signInsId(memberId, at));
  await retryConflicts(async () => {
    const last = await eventStore.last(stream);
    await eventStore.append(stream, [event], last?.revision ?? noStream, { withinMs: maxRecordMs });
  }, maxRecordMs);
}

const monthsPerQuery = 200;

/**
 * Deletes the sign-ins of months that ended more than 90 days ago. The stream is deleted before its log entries, since those lead to it.
 * The log does not show older sign-ins even while their month is kept.
 */
export async function dropSignInMonths({ pool, eventStore }: Stores): Promise<number> {
  let deletedMonths = 0;
  for (;;) {
    const { rows } = await pool.query<{ stream: string; now: Date }>(
      `select distinct stream, now() as now from log_entries
        where what = 'sign-ins' and at < now() - interval '${signInDays} days'
          and (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC' < now() - interval '${signInDays} days'
        limit ${monthsPerQuery}`,
    );
    for (const { stream, now } of rows) {
      const end = monthEnd(stream);
      if (!end || end.getTime() + signInDays * 86_400_000 > now.getTime())
        throw new Error(`${stream} is not a month of sign-ins that has ended`);
      await eventStore.deleteStream(stream);
      await pool.query("delete from log_entries where stream = $1", [stream]);
      deletedMonths += 1;
    }
    if (rows.length < monthsPerQuery) return deletedMonths;
  }
}
