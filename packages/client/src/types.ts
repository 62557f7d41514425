// The names of the API's shapes, taken from the types that are generated from its OpenAPI document.
import type { components, operations, webhooks } from "./generated.js";

type Schemas = components["schemas"];
type Query<Operation extends keyof operations> = Omit<NonNullable<operations[Operation]["parameters"]["query"]>, "cursor">;

export type QuoteRequest = Schemas["QuoteRequest"];
export type QuoteResponse = Schemas["QuoteResponse"];
export type ListedQuote = Schemas["ListedQuote"];
export type ShipmentPush = Schemas["ShipmentPush"];
export type ActivityPush = Schemas["ActivityPush"];
export type AcceptedShipments = Schemas["AcceptedShipments"];
export type AcceptedActivities = Schemas["AcceptedActivities"];
export type AcceptedFile = Schemas["AcceptedFile"];
export type Import = Schemas["Import"];
export type RejectedShipmentRow = Schemas["RejectedShipmentRow"];
export type RejectedActivityRow = Schemas["RejectedActivityRow"];
export type CorrectedRow = Schemas["CorrectedRow"];
export type LedgerShipment = Schemas["LedgerShipment"];
export type LedgerActivity = Schemas["LedgerActivity"];
export type ActivityTotals = Schemas["ActivityTotals"];

export type QuoteFilter = Query<"listQuotes">;
export type ImportFilter = Query<"listShipmentImports">;
export type RejectedRowFilter = Query<"listRejectedShipmentRows">;
export type ShipmentFilter = Query<"listLedgerShipments">;
export type ActivityFilter = Query<"listLedgerActivities">;
export type TotalsFilter = Query<"getLedgerActivityTotals">;

/** What a webhook's body holds. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type]["post"]["requestBody"]["content"]["application/json"];
}[keyof webhooks];

/** A webhook about an import. The only other webhook, `ping`, tests an endpoint. */
export type ImportEvent = Extract<WebhookEvent, { readonly data: { readonly importId: string } }>;
