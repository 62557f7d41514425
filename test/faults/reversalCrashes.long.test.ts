// With the points before each call, too.
import "./reversalCrashes.processes.test.js";
