import { readFileSync } from "node:fs";
import type { OrganisationFileInput } from "../domain/catalogue/schema.js";

/**
 * A catalogue that a freight person recognises, for trying things out and for the documentation's examples: 180 kg from SYD to MEL on
 * `road-standard` is 12.50 + 180 x 0.42 = 88.10, with fuel and GST 118.71. CUST-001 needs no custom field, so that a first import succeeds.
 * CUST-003 shows a mandatory custom field. Every Australian postcode lies in exactly one zone.
 */
export const demoOrganisation = JSON.parse(readFileSync(new URL("./organisation.json", import.meta.url), "utf8")) as OrganisationFileInput;
