// The event of the log's own stream, the first that the service writes. This is a disk format.
import { z } from "zod";

/** Tables, checkpoints and stored objects belong to the log with this id. A copy of the log has the same id. */
const logCreated = z.object({ logId: z.uuid(), at: z.iso.datetime() });

/** Every event of the log's own stream. */
export const logEvents = { LogCreated: logCreated } as const;
