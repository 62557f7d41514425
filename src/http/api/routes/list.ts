// All routes of the API, in the order of the reference. A route that is not in this list is not served.
import type { Route } from "../route.js";
import { activityLedgerRoutes } from "./activityLedger.js";
import { correctionRoutes } from "./corrections.js";
import { fetchQuote } from "./fetchQuote.js";
import { generateQuotes } from "./generateQuotes.js";
import { importListRoutes, importStatusRoutes } from "./imports.js";
import { importCancelRoutes } from "./importsCancel.js";
import { listQuotes } from "./listQuotes.js";
import { pushActivities } from "./pushActivities.js";
import { pushShipments } from "./pushShipments.js";
import { rejectionRoutes } from "./rejections.js";
import { shipmentLedgerRoutes } from "./shipmentLedger.js";
import { uploadActivities } from "./uploadActivities.js";
import { uploadShipments } from "./uploadShipments.js";

export const routes: readonly Route[] = [
  generateQuotes,
  fetchQuote,
  listQuotes,
  pushShipments,
  uploadShipments,
  pushActivities,
  uploadActivities,
  ...importStatusRoutes,
  ...importListRoutes,
  ...importCancelRoutes,
  ...rejectionRoutes,
  ...correctionRoutes,
  ...shipmentLedgerRoutes,
  ...activityLedgerRoutes,
];
