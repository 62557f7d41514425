// With more seeds.
import "./reversals.test.js";
