// Every route of the API, in the order of the reference. A route that is not in this list does not exist.
import type { Route } from "../route.js";
import { pushActivities } from "./pushActivities.js";
import { pushShipments } from "./pushShipments.js";
import { uploadActivities } from "./uploadActivities.js";
import { uploadShipments } from "./uploadShipments.js";

export const routes: readonly Route[] = [pushShipments, uploadShipments, pushActivities, uploadActivities];
