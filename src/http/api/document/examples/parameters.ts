/** What stands for a parameter in examples. Ids are those of the recorded answers. */
export const exampleParameters: Readonly<Record<string, string | number>> = {
  importId: "0198c2f0-0000-7000-8000-000000000001",
  quoteId: "0198c2f0-0000-7000-8000-000000000002",
  shipmentId: "SO-1001",
  limit: 100,
  customerId: "CUST-001",
  from: "2026-07-01T00:00:00Z",
  to: "2027-07-01T00:00:00Z",
  "idempotency-key": "monday-orders-1",
};
