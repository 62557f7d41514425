// The columns of an import file are the contract's field names; both lanes and both directions use these lists.
export const shipmentFields = [
  "shipmentId",
  "customerId",
  "originPostCode",
  "originSuburb",
  "originState",
  "originCountryCode",
  "destinationPostCode",
  "destinationSuburb",
  "destinationState",
  "destinationCountryCode",
  "quoteDate",
  "rateCardAlias",
  "totalCostReceived",
] as const;

export const goodsLineFields = ["itemType", "itemQuantity", "itemWeight"] as const;

export const activityFields = [
  "warehouseCode",
  "chargeCode",
  "quantity",
  "activityTimestamp",
  "customerId",
  "reference",
  "status",
] as const;

export const requiredColumns = {
  shipments: ["shipmentId", "originPostCode", "originSuburb", "destinationPostCode", "destinationSuburb", "itemType"],
  activities: ["warehouseCode", "chargeCode", "quantity", "activityTimestamp"],
} as const;

export const allColumns = {
  shipments: [...shipmentFields, ...goodsLineFields],
  activities: [...activityFields],
} as const;

export const customFieldPrefix = "customFields.";

/** In the file made from a JSON push: which element of the push a line came from, counted from 1. */
export const elementColumn = "#";
