// With the points before each call, too.
import "./crashPoints.processes.test.js";
