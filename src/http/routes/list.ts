// Every route of the API, in the order of the reference. A route that is not in this list does not exist.
import type { Route } from "../route.js";

export const routes: readonly Route[] = [];
