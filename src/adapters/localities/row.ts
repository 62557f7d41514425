// Localities from the outside: npm packages that carry them, and files that people load.
// Every source yields the same rows; for one postcode the first row is the primary suburb.

export interface LocalityRow {
  readonly postalCode: string;
  readonly suburb: string;
  /** The city that the suburb is part of; the suburb itself where there is none. */
  readonly city: string;
  readonly state: string;
  readonly stateName: string;
  /** Reached only through post-office boxes. */
  readonly poBox: boolean;
}
