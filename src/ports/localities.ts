// What the application needs of localities, wherever they come from: a row for each.
export type { LocalityRow } from "../domain/geography/localities.js";
