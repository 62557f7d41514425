// With more rounds.
import "./reversalRaces.test.js";
