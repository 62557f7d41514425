// With an import of 20,001 rows that runs to its end.
import "./unusual.test.js";
