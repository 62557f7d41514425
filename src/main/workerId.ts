import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** For people the machine and the process; the rest tells apart two containers that have one name and one process number. */
export const newWorkerId = (): string => `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
