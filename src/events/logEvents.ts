// The log itself: one event, the first that the service writes. This is a disk format.
import { z } from "zod";

/** Tables, checkpoints and stored objects belong to the log of this id; a copy of the log has the same one. */
const logCreated = z.object({ logId: z.uuid(), at: z.iso.datetime() });

/** Every event of the log's own stream. */
export const logEvents = { LogCreated: logCreated } as const;
