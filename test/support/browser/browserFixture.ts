// A test file that runBrowserFixture.mjs runs in a vitest of its own: it shows what a browser test does where no browser can run.
import { browserTest, useBrowser } from "./browser.js";

const browser = useBrowser();

browserTest("opens a page", () => browser.inPage({ origin: "about:blank" }, ({ page }) => page.goto("about:blank")));
