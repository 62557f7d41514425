// A page as a person without a mouse uses it. Code that runs in the page is text, since the tests are compiled without the types of the DOM.
import type { CDPSession, Locator, Page } from "playwright-core";

interface Seen {
  /** Controls that Tab should reach. */
  readonly controls: number;
  /** Controls that Tab has not reached, by their markup. */
  readonly missed: string[];
  /** Controls on which the focus cannot be seen. */
  readonly unseen: string[];
  /** Elements that had the focus although they are outside of the open dialog. */
  readonly outside: string[];
}

/** Records which controls get the focus. Tab need not reach a control with a tabindex of -1 (a grid cell), nor each radio button of one name. */
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
  if (within.id === "main" && within.contains(document.activeElement)) look(document.activeElement); // the skip link has put the focus there
  globalThis.focusSeen = () => ({
    controls: wanted.length, reached: reached.size, missed: wanted.filter((each) => !reached.has(each)).map(short),
    unseen: [...unseen], outside: [...outside],
  });
  globalThis.forgetFocus = () => reached.clear();
})()`;

const burst = 20;
const enough = 60;
const drivers = new WeakMap<Page, Promise<CDPSession>>();

/** Sends all presses at once; the page handles them one by one. Waiting for each press would take three times as long. */
async function press(page: Page, key: "Tab" | "Shift+Tab", times: number): Promise<void> {
  const opened = drivers.get(page) ?? page.context().newCDPSession(page);
  drivers.set(page, opened);
  const driver = await opened;
  const event = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9, modifiers: key === "Tab" ? 0 : 8 };
  const types = Array.from({ length: times }, () => ["rawKeyDown", "keyUp"] as const).flat();
  await Promise.all(types.map((type) => driver.send("Input.dispatchKeyEvent", { type, ...event })));
}

/** Presses the key until every control was reached, or `enough` presses in a row reach no new one. */
async function pressThrough(page: Page, key: "Tab" | "Shift+Tab"): Promise<Seen> {
  let reached = -1;
  for (let inVain = 0; ; ) {
    const seen = (await page.evaluate("focusSeen()")) as Seen & { reached: number };
    if (seen.reached > reached) inVain = 0;
    if (seen.missed.length === 0 || inVain >= enough) return seen;
    reached = seen.reached;
    const presses = Math.min(burst, seen.missed.length);
    await press(page, key, presses);
    inVain += presses;
  }
}

/** Presses Tab through all controls, with or without those of the menu. `andBack` also goes backwards, which takes as long again. */
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

/** Controls that something else covers while they have the focus, such as a sticky bar. */
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

interface Key {
  readonly key: string;
  preventDefault(): void;
  stopImmediatePropagation(): void;
}
interface InPage {
  readonly document: { readonly activeElement: unknown };
  addEventListener(name: "keydown", listener: (event: Key) => void, capture: true): void;
  removeEventListener(name: "keydown", listener: (event: Key) => void, capture: true): void;
  letGo(): boolean;
}

/** Once `wanted` has the focus, Tab does nothing until `letGo`. So many presses can be sent at once and the focus stays there. */
const holdFocus = (wanted: Locator): Promise<void> =>
  wanted.evaluate((element) => {
    const page = globalThis as unknown as InPage;
    const isThere = () => element === page.document.activeElement;
    const hold = (event: Key) => {
      if (event.key !== "Tab" || !isThere()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    page.addEventListener("keydown", hold, true);
    page.letGo = () => {
      page.removeEventListener("keydown", hold, true);
      return isThere();
    };
  });

/** Presses Tab until `wanted` has the focus. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 120; presses += burst) {
    await holdFocus(wanted);
    await press(page, "Tab", burst);
    if (await page.evaluate("globalThis.letGo?.()")) return;
  }
  throw new Error(`${wanted} is not reached by the keyboard`);
}
