// With more seeds.
import "./reversals.processes.test.js";
