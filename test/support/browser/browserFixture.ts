// A test file of its own for another vitest: what becomes of a browser test where no browser can run.
import { browserTest, useBrowser } from "./browser.js";

const browser = useBrowser();

browserTest("opens a page", () => browser.inPage({ origin: "about:blank" }, ({ page }) => page.goto("about:blank")));
