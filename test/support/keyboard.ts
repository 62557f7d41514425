// A page as somebody without a mouse has it. What runs in the page is text: the tests' own types know no document.
import type { Locator, Page } from "playwright-core";

interface Seen {
  /** Controls that Tab should reach. */
  readonly controls: number;
  /** Those it has not reached, by their markup. */
  readonly missed: string[];
  /** Those that looked the same with the focus as without. */
  readonly unseen: string[];
  /** What had the focus and was outside of the question that is asked. */
  readonly outside: string[];
}

/** Controls by their places in the page; those that another one leads to (a radio button, a cell of a grid) have a tabindex of -1 or share a name. */
const watchFocus = (menuToo: boolean) => `(() => {
  const question = document.querySelector("dialog:modal");
  const within = question ?? (${menuToo} ? document : document.querySelector("main"));
  const all = [...within.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]")];
  const groups = new Set();
  const wanted = all.filter((each) => {
    if (each.tabIndex < 0 || each.disabled || !each.checkVisibility({ visibilityProperty: true })) return false;
    if (each.type !== "radio" || !each.name) return true;
    const first = !groups.has(each.name);
    groups.add(each.name);
    return first;
  });
  const reached = new Set();
  const unseen = new Set();
  const outside = new Set();
  const short = (each) => each.outerHTML.slice(0, 160);
  const marked = (each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  const look = (target) => {
    reached.add(target.type === "radio" ? wanted.find((each) => each.type === "radio" && each.name === target.name) : target);
    const own = [target, target.parentElement, ...(target.labels ?? [])];
    if (target.id !== "main" && !own.some((each) => each && marked(each))) unseen.add(short(target));
    if (question && !question.contains(target)) outside.add(short(target));
  };
  document.addEventListener("focusin", ({ target }) => look(target));
  if (within.id === "main" && within.contains(document.activeElement)) look(document.activeElement); // where the skip link has led
  globalThis.focusSeen = () => ({
    controls: wanted.length, reached: reached.size, missed: wanted.filter((each) => !reached.has(each)).map(short),
    unseen: [...unseen], outside: [...outside],
  });
  globalThis.forgetFocus = () => reached.clear();
})()`;

const burst = 20;
const enough = 60;

/** Presses the key until everything was reached, or nothing new comes. */
async function pressThrough(page: Page, key: "Tab" | "Shift+Tab"): Promise<Seen> {
  let reached = -1;
  for (let inVain = 0; ; ) {
    const seen = (await page.evaluate("focusSeen()")) as Seen & { reached: number };
    if (seen.reached > reached) inVain = 0;
    if (seen.missed.length === 0 || inVain >= enough) return seen;
    reached = seen.reached;
    const presses = Math.min(burst, seen.missed.length);
    for (let n = 0; n < presses; n += 1) await page.keyboard.press(key);
    inVain += presses;
  }
}

/** Through everything, with the menu or without, and back where that is asked for: it takes as long again. */
export async function walk(
  page: Page,
  { andBack, menuToo = true }: { readonly andBack: boolean; readonly menuToo?: boolean },
): Promise<{ forwards: Seen; backwards?: Seen }> {
  await page.evaluate(watchFocus(menuToo));
  const forwards = await pressThrough(page, "Tab");
  if (!andBack) return { forwards };
  await page.evaluate("forgetFocus()");
  return { forwards, backwards: await pressThrough(page, "Shift+Tab") };
}

/** Controls that are behind something else when they have the focus, such as a bar that stays where it is. */
export const hiddenWithFocus = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const all = [...document.querySelectorAll("main a[href], main button, main input, main select, main textarea, main summary")];
    const hidden = [];
    for (const each of [...all, ...all.toReversed()]) {
      if (each.tabIndex < 0 || each.disabled || !each.checkVisibility({ visibilityProperty: true })) continue;
      each.focus();
      const { left, top, width, height } = each.getBoundingClientRect();
      if (width < 2 || height < 2) continue;
      const found = document.elementFromPoint(left + width / 2, top + height / 2);
      if (!found || !(each.contains(found) || found.contains(each) || [...(each.labels ?? [])].includes(found))) hidden.push(each.outerHTML.slice(0, 160));
    }
    return hidden;
  })()`);

export const hasFocus = (wanted: Locator): Promise<boolean> =>
  wanted.evaluate((each) => each === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement);

/** Presses Tab until this has the focus. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    if (await hasFocus(wanted)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${wanted} is not reached by the keyboard`);
}
