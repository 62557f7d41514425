// With more random runs.
import "./imports.test.js";
