// With more rounds.
import "./reversalRaces.processes.test.js";
