// src/adapters/localities reads localities from npm packages and from files that operators load. Every source gives the same rows; the first
// row of a postcode is its primary suburb.

export interface LocalityRow {
  readonly postalCode: string;
  readonly suburb: string;
  /** The city that the suburb is part of; otherwise the suburb itself. */
  readonly city: string;
  readonly state: string;
  readonly stateName: string;
  /** Has post-office boxes only. */
  readonly poBox: boolean;
}
