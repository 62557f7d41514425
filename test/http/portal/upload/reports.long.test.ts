// With a report of more rows than one correction may have.
import "./reports.test.js";
