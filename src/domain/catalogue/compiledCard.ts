import { laneKey } from "./cardChecks.js";
import type { Lane, RateCard, Service } from "./schema.js";

export interface CompiledCard {
  readonly card: RateCard;
  readonly service: Service;
  /** The service's own factor, else the organisation's. */
  readonly cubicFactor: number;
  readonly spotExpiresAt: number | undefined;
  laneBetween(origin: string, destination: string): Lane | undefined;
}

export function compileCard(card: RateCard, service: Service | undefined, organisationFactor: number): CompiledCard {
  if (!service) throw new Error(`rate card ${card.id} names an unknown service`); // parseOrganisationFile lets none through
  const lanes = new Map(card.lanes.map((lane) => [laneKey(lane), lane]));
  return {
    card,
    service,
    cubicFactor: service.cubicFactor ?? organisationFactor,
    spotExpiresAt: card.spot ? Date.parse(card.spot.expiresAt) : undefined,
    /** Tries lanes that name both ends, then only the destination, then only the origin, then neither. */
    laneBetween: (from, to) =>
      lanes.get(laneKey({ from, to })) ??
      lanes.get(laneKey({ from: "*", to })) ??
      lanes.get(laneKey({ from, to: "*" })) ??
      lanes.get(laneKey({ from: "*", to: "*" })),
  };
}
