// With the points before each call, too.
import "./correctionCrashes.processes.test.js";
