// In both colour schemes.
import "./upload.browser.test.js";
