// With all sizes around the largest.
import "./receiveUpload.unit.test.js";
