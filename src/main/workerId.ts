import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** Host name and process id, for people who read it, and a random part, because two containers can have the same host name and process id. */
export const newWorkerId = (): string => `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
