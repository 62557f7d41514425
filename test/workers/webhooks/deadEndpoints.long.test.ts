// With all endpoints, and the comparison of times.
import "./deadEndpoints.test.js";
