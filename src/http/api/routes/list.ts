// All routes of the API, in the order of the reference. A route that is not in this list is not served.
import type { Route } from "../route.js";
import { activityLedgerRoutes } from "./activityLedger.js";
import { correctionRoutes } from "./corrections.js";
import { importCancelRoutes, importListRoutes, importStatusRoutes } from "./imports.js";
import { logRoutes } from "./log.js";
import { pushRoutes } from "./pushes.js";
import { quoteRoutes } from "./quotes.js";
import { rejectionRoutes } from "./rejections.js";
import { reversalRoutes } from "./reversals.js";
import { shipmentLedgerRoutes } from "./shipmentLedger.js";
import { unusualRowRoutes } from "./unusualRows.js";

export const routes: readonly Route[] = [
  ...quoteRoutes,
  ...pushRoutes,
  ...importStatusRoutes,
  ...importListRoutes,
  ...importCancelRoutes,
  ...rejectionRoutes,
  ...unusualRowRoutes,
  ...correctionRoutes,
  ...reversalRoutes,
  ...shipmentLedgerRoutes,
  ...activityLedgerRoutes,
  ...logRoutes,
];
