import { Problem } from "./problem.js";

/** What one request holds of what its organisation, and everybody together, may hold. */
export interface Share {
  /** Throws 503 where it would not fit beside what is held already. */
  check(size: number): void;
  /** Sets what is held, or throws and leaves it as it was. */
  hold(size: number): void;
  release(): void;
}

export type OpenShare = (organisationId: string) => Share;

/** Bytes that requests hold: no organisation more than its own part, so that it keeps nobody out but itself, and a bound for all. */
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
