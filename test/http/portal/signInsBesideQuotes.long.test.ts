// With the comparison of times.
import "./signInsBesideQuotes.test.js";
