// With more random runs.
import "./imports.processes.test.js";
