// In all looks, with all rules, and each page walked forwards and backwards.
import "./pages.browser.test.js";
