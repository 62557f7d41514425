import { Problem } from "./problem.js";

export type WithinUploads = <T>(organisationId: string, upload: () => Promise<T>) => Promise<T>;

/** Limits the running uploads: each takes a connection and disk space, for minutes if its sender is slow. */
export function boundUploads({ inAll = 200, perOrganisation = 60 } = {}): WithinUploads {
  const underWay = new Map<string, number>();
  let total = 0;
  return async (organisationId, upload) => {
    const own = underWay.get(organisationId) ?? 0;
    if (total >= inAll || own >= perOrganisation) throw new Problem("unavailable", "Too many uploads at the moment, try again shortly");
    total++;
    underWay.set(organisationId, own + 1);
    try {
      return await upload();
    } finally {
      total--;
      const left = (underWay.get(organisationId) ?? 1) - 1;
      if (left === 0) underWay.delete(organisationId);
      else underWay.set(organisationId, left);
    }
  };
}
