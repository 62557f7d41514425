import { importsOfEitherKind, importsUnder, type PushOptions, uploadTo, withKey, withSignal } from "./imports.js";
import { type CallOptions, createSend, pages, type Send, type WaybillOptions } from "./transport.js";
import type {
  AcceptedActivities,
  AcceptedShipments,
  ActivityFilter,
  ActivityPush,
  ActivityTotals,
  LedgerActivity,
  LedgerShipment,
  ListedQuote,
  QuoteFilter,
  QuoteRequest,
  QuoteResponse,
  RejectedActivityRow,
  RejectedShipmentRow,
  ShipmentFilter,
  ShipmentPush,
  TotalsFilter,
} from "./types.js";

/** The API of one organisation. Lists are async iterations: `for await (const row of waybill.shipments.imports.rejectedRows(id))`. */
export class Waybill {
  readonly quotes: ReturnType<typeof quotesOf>;
  readonly shipments: ReturnType<typeof shipmentsOf>;
  readonly activities: ReturnType<typeof activitiesOf>;
  /** Imports of either kind. */
  readonly imports: ReturnType<typeof importsOfEitherKind>;

  constructor(options: WaybillOptions) {
    const send = createSend(options);
    this.quotes = quotesOf(send);
    this.shipments = shipmentsOf(send);
    this.activities = activitiesOf(send);
    this.imports = importsOfEitherKind([this.shipments.imports, this.activities.imports]);
  }
}

function quotesOf(send: Send) {
  const path = "/v1/org/quote/getQuote";
  return {
    generate: (json: QuoteRequest, options: CallOptions = {}): Promise<QuoteResponse> =>
      send({ method: "POST", path, json, ...withSignal(options) }),
    get: (quoteId: string, options: CallOptions = {}): Promise<QuoteResponse> =>
      send({ method: "GET", path: `${path}/${encodeURIComponent(quoteId)}`, ...withSignal(options) }),
    list: (filter: QuoteFilter = {}, options: CallOptions = {}) => pages<ListedQuote>(send, "/v1/org/quotes", filter, options),
  };
}

function shipmentsOf(send: Send) {
  const path = "/v1/org/shipments/imports";
  const ledger = "/v1/org/ledger/shipments";
  return {
    push: (json: ShipmentPush, options: PushOptions = {}): Promise<AcceptedShipments> =>
      send({ method: "POST", path, json, ...withKey(options) }),
    upload: uploadTo(send, `${path}/file`),
    imports: importsUnder<RejectedShipmentRow, AcceptedShipments>(send, path),
    ledger: {
      list: (filter: ShipmentFilter = {}, options: CallOptions = {}) => pages<LedgerShipment>(send, ledger, filter, options),
      get: (shipmentId: string, options: CallOptions = {}): Promise<LedgerShipment> =>
        send({ method: "GET", path: `${ledger}/${encodeURIComponent(shipmentId)}`, ...withSignal(options) }),
    },
  };
}

function activitiesOf(send: Send) {
  const path = "/v1/org/fulfilment/activities";
  const ledger = "/v1/org/ledger/activities";
  return {
    push: (json: ActivityPush, options: PushOptions = {}): Promise<AcceptedActivities> =>
      send({ method: "POST", path, json, ...withKey(options) }),
    upload: uploadTo(send, `${path}/file`),
    imports: importsUnder<RejectedActivityRow, AcceptedActivities>(send, "/v1/org/fulfilment/imports"),
    ledger: {
      list: (filter: ActivityFilter = {}, options: CallOptions = {}) => pages<LedgerActivity>(send, ledger, filter, options),
      totals: (query: TotalsFilter = {}, options: CallOptions = {}): Promise<ActivityTotals> =>
        send({ method: "GET", path: `${ledger}/totals`, query, ...withSignal(options) }),
    },
  };
}
