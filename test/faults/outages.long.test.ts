// With the promised time, which a busy machine does not keep.
import "./outages.processes.test.js";
