// Who acts: an API key, a person in the portal, the command line, a worker. Every recorded action names one.
import { z } from "zod";

export const principal = z.object({ kind: z.enum(["key", "member", "cli", "worker"]), id: z.string() });

export type Principal = z.infer<typeof principal>;

/** The operator at the command line. */
export const operatorPrincipal: Principal = { kind: "cli", id: "operator" };

/** The product itself, at its first start in an empty folder. */
export const firstStartPrincipal: Principal = { kind: "cli", id: "start" };

export const workerPrincipal = ({ workerId }: { readonly workerId: string }): Principal => ({ kind: "worker", id: workerId });

/** The principal as `kind:id`, the form in an event's metadata and in the tables. */
export const actorOf = ({ kind, id }: Principal): string => `${kind}:${id}`;

export const removedMember = "a removed member";

/** Returns a principal's name, for people. */
export type NameOf = (by: Principal) => string;

/** `keys` and `members` have the names by id. Older events name a key by its prefix. */
export const createNameOf =
  (keys: ReadonlyMap<string, string>, members: ReadonlyMap<string, string>): NameOf =>
  ({ kind, id }) => {
    switch (kind) {
      case "key":
        return keys.get(id) ?? `key ${id}`;
      case "member":
        return members.get(id) ?? removedMember;
      case "cli":
        return "the command line";
      case "worker":
        return `worker ${id}`;
    }
  };

/** Parses `kind:id`, and the older forms `cli`, `start` and `key:<prefix>`. Any other text gives the command line's operator. */
export function principalOf(actor: string): Principal {
  const [kind = "", ...rest] = actor.split(":");
  const known = principal.safeParse({ kind, id: rest.join(":") });
  if (!known.success || rest.length === 0) return actor === "start" ? firstStartPrincipal : operatorPrincipal;
  return known.data;
}
