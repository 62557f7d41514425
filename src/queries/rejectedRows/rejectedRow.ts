export interface RejectedRow {
  /** The shipmentId of a shipment row, the reference of an activity row. */
  readonly handle: string | null;
  readonly error: string;
  readonly data: unknown;
  readonly row: number;
}
