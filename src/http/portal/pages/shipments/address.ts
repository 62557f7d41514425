export const shipmentsPath = "/portal/shipments";

/** Ids hold any character. A browser takes the ids `.` and `..` for folders, so they go by the query. */
export const shipmentPath = (shipmentId: string): string =>
  shipmentId === "." || shipmentId === ".."
    ? `${shipmentsPath}?exactly=${shipmentId}`
    : `${shipmentsPath}/${encodeURIComponent(shipmentId.toWellFormed())}`;
