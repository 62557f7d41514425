import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** The machine and the process id, for people; a random part, because two containers can have the same of both. */
export const newWorkerId = (): string => `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
