// A few places of several countries for tests of geography, and helpers that resolve them.
import { createGeography, type LocationRequest } from "../../../src/domain/geography/geography.js";
import type { LocalityRow } from "../../../src/domain/geography/localities.js";

const states: Record<string, string> = {
  NSW: "New South Wales",
  ACT: "Australian Capital Territory",
  NT: "Northern Territory",
  VIC: "Victoria",
};

function row(postalCode: string, suburb: string, state: string, city = suburb, poBox = false): LocalityRow {
  return { postalCode, suburb, city, state, stateName: states[state] ?? state, poBox };
}

const australia = [
  row("2000", "Sydney", "NSW"),
  row("2000", "The Rocks", "NSW", "Sydney"),
  row("2065", "St Leonards", "NSW", "Sydney"),
  row("2770", "Mount Druitt", "NSW", "Sydney"),
  row("2444", "Port Macquarie", "NSW"),
  row("2620", "Queanbeyan", "NSW"),
  row("2620", "Hume", "ACT", "Canberra"),
  row("2620", "Williamsdale", "NSW"),
  row("2620", "Williamsdale", "ACT", "Canberra"),
  row("0800", "Darwin", "NT"),
  row("1001", "Sydney", "NSW", "Sydney", true),
  row("2602", "O'Connor", "ACT", "Canberra"),
  row("2216", "Brighton-Le-Sands", "NSW", "Sydney"),
  row("3002", "East Melbourne", "VIC", "Melbourne"),
  row("3088", "Saint Helena", "VIC", "Melbourne"),
  row("3088", "St Helena", "VIC", "Melbourne"),
  row("2540", "Green Hills", "NSW"),
  row("2540", "Greenhills", "ACT"),
];
const britain = [row("SW1A 1AA", "Westminster", "ENG", "London"), row("M1", "Manchester", "ENG")];

const newZealand = [row("0110", "Whangarei", "NTL"), row("1010", "Auckland", "AUK")];
const unitedStates = [row("02108", "Boston", "MA")];
const japan = [row("060-0000", "Chuo Ku", "01"), row("1000001", "Chiyoda Ku", "13")];
const loaded: Record<string, readonly LocalityRow[]> = {
  JP: japan,
  AU: australia,
  CA: [row("V6B", "Vancouver", "BC")],
  GB: britain,
  LV: [row("LV-1010", "Riga", "RIX")],
  NZ: newZealand,
  PT: [row("1000-001", "Lisboa", "11")],
  US: [...unitedStates, row("10001", "New York", "NY")],
};

export const asked: string[] = [];
export const geography = createGeography((country) => {
  asked.push(country);
  return loaded[country];
});

export function location(request: LocationRequest) {
  const resolution = geography.resolve(request);
  if (!resolution.ok) throw new Error(resolution.message);
  return resolution.location;
}

export function faultOf(request: LocationRequest): string {
  const resolution = geography.resolve(request);
  return resolution.ok ? "none" : resolution.fault;
}
