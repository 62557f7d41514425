// With all endpoints, and the comparison of times.
import "./deadEndpoints.processes.test.js";
