// An endpoint's page changes by itself: the stream says that something has changed, and the script fetches that part of the page again.
import { endpointVersions } from "../../../../queries/organisations/webhooks.js";
import { streamAnswer } from "../../live/streamAnswer.js";
import type { AnswerDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { Live } from "../imports/importStatus.js";
import { webhooksPath } from "./endpointPanels.js";
import { requireEndpoint } from "./requireEndpoint.js";

const livePath = `${webhooksPath}/{endpointId}/live`;
const partId = "endpoint-version";

/** Holds nothing that is seen. Where its status changes, the script says so and fetches the rest again. */
const Version = ({ version }: { version: string }) => (
  <span id={partId} data-status={version} data-says="The deliveries have changed." hidden />
);

export const versionPart = (version: string) => ({ id: partId, html: String(<Version version={version} />) });

export async function readEndpointVersion({ pool }: Pick<PortalDeps, "pool">, endpointId: string): Promise<string> {
  return (await endpointVersions([endpointId], pool)).get(endpointId) ?? "";
}

export const LiveEndpoint = ({ visit, endpointId, version }: { visit: SignedInVisit; endpointId: string; version: string }) => (
  <>
    <Live visit={visit} from={livePath.replace("{endpointId}", endpointId)} isMoving={false} />
    <Version version={version} />
  </>
);

export const endpointStream: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: livePath,
  access: "webhooks",
  answer: async (visit, deps) => {
    const { endpointId } = await requireEndpoint(visit, deps);
    const { webhooks } = deps.live;
    return streamAnswer(visit, deps, {
      onOpen: (stream) => webhooks.join({ stream, endpointId, version: visit.query["status"] ?? "" }),
      onEnd: (stream) => webhooks.leave(stream),
    });
  },
};
