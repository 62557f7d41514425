// With the comparison of times.
import "./signIn.test.js";
