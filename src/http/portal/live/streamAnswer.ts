import { hashToken } from "../../../domain/members.js";
import type { PortalDeps, SignedInVisit } from "../pageDefinition.js";
import { type StreamRequest, streamHeaders } from "./streams.js";

/** An answer that stays open. */
export function streamAnswer(
  { context: c, person }: SignedInVisit,
  { live, sessionCookie }: PortalDeps,
  feed: Pick<StreamRequest, "onOpen" | "onEnd">,
): Response {
  const body = live.streams.open({
    ...feed,
    organisationId: person.organisationId,
    session: hashToken(sessionCookie.read(c) ?? ""),
    left: c.req.raw.signal,
    cut: () => c.env?.outgoing?.destroy(),
  });
  return new Response(body, { headers: { ...c.get("answerHeaders"), ...streamHeaders } });
}
