/** A queue of jobs in which organisations take turns, and each has at most `perOrganisation` jobs under way. */
export interface FairLine<Job> {
  add(organisationId: string, job: Job): void;
  remove(organisationId: string, job: Job): void;
  /** The next job that may begin, if any; it counts as under way until `done`. */
  next(): { readonly organisationId: string; readonly job: Job } | undefined;
  done(organisationId: string): void;
}

export function createFairLine<Job>(perOrganisation: number): FairLine<Job> {
  const waiting = new Map<string, Job[]>(); // the organisation whose turn is next comes first
  const underWay = new Map<string, number>();
  const count = (organisationId: string) => underWay.get(organisationId) ?? 0;

  function set(organisationId: string, running: number): void {
    if (running === 0) underWay.delete(organisationId);
    else underWay.set(organisationId, running);
  }

  return {
    add(organisationId, job) {
      const own = waiting.get(organisationId);
      if (own) own.push(job);
      else waiting.set(organisationId, [job]);
    },
    remove(organisationId, job) {
      const left = (waiting.get(organisationId) ?? []).filter((each) => each !== job);
      if (left.length === 0) waiting.delete(organisationId);
      else waiting.set(organisationId, left);
    },
    next() {
      for (const [organisationId, [job, ...others]] of waiting) {
        if (job === undefined || count(organisationId) >= perOrganisation) continue;
        waiting.delete(organisationId);
        if (others.length > 0) waiting.set(organisationId, others); // behind all other organisations
        set(organisationId, count(organisationId) + 1);
        return { organisationId, job };
      }
      return undefined;
    },
    done: (organisationId) => set(organisationId, count(organisationId) - 1),
  };
}
