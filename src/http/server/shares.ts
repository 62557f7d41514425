import { Problem } from "./problem.js";

/** The bytes that one request uses of its organisation's share and of the total. */
export interface Share {
  /** Throws 503 when `size` does not fit. */
  check(size: number): void;
  /** Sets the request's bytes, or throws and changes nothing. */
  hold(size: number): void;
  release(): void;
}

export type OpenShare = (organisationId: string) => Share;

/** Limits the bytes of all requests together, and of each organisation, so that one organisation cannot use up the total. */
export function createShares(most: { inAll: number; perOrganisation: number }, refusal: string): OpenShare {
  const held = new Map<string, number>();
  let total = 0;
  return (organisationId) => {
    let own = 0;
    const ofOrganisation = () => held.get(organisationId) ?? 0;
    const check = (size: number) => {
      const more = size - own;
      if (more > 0 && (total + more > most.inAll || ofOrganisation() + more > most.perOrganisation)) {
        throw new Problem("unavailable", refusal);
      }
    };
    const set = (size: number) => {
      const now = ofOrganisation() + size - own;
      if (now === 0) held.delete(organisationId);
      else held.set(organisationId, now);
      total += size - own;
      own = size;
    };
    return {
      check,
      hold(size) {
        check(size);
        set(size);
      },
      release: () => set(0),
    };
  };
}
