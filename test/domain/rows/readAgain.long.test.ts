// Every case of the file beside it.
import "./readAgain.test.js";
