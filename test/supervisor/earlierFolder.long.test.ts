// On the folders of all earlier versions.
import "./earlierFolder.processes.test.js";
