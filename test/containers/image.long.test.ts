// Every case of the file beside it.
import "./image.processes.test.js";
