import { afterAll, beforeAll, expect, test } from "vitest";
import { startProjector } from "../../support/roles.js";
