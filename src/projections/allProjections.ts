import { streamPrefix } from "../events/streams.js";
import { activities } from "./activities.js";
import { imports } from "./imports.js";
import type { Projection } from "./projection.js";
import { rejections } from "./rejections.js";
import { shipments } from "./shipments.js";

/** In the order they are applied. */
export const allProjections: readonly Projection[] = [imports, rejections, activities, shipments];

export const projectedPrefixes: readonly string[] = [streamPrefix.import, streamPrefix.organisation, streamPrefix.localities];
