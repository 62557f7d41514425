// Makes a group of links and buttons a single stop of the Tab key: the arrow keys, Home and End move within the group.

const focusable = "a[href], button, summary, input";

/** The group's visible items. */
const itemsOf = (group: HTMLElement): HTMLElement[] =>
  [...group.querySelectorAll<HTMLElement>(focusable)].filter((item) => item.checkVisibility({ visibilityProperty: true }));

function setTabStop(group: HTMLElement, item: HTMLElement): void {
  for (const each of group.querySelectorAll<HTMLElement>(focusable)) each.tabIndex = each === item ? 0 : -1;
}

/** Whether an arrow key leaves the item. In a text field it first moves the caret, up to the end of the text on that side. */
function isAtEdge(target: EventTarget | null, step: number): boolean {
  if (!(target instanceof HTMLInputElement)) return true;
  const { selectionStart, selectionEnd, value } = target;
  return selectionStart === selectionEnd && selectionStart === (step < 0 ? 0 : value.length);
}

function move(group: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const isEnd = event.key === "Home" || event.key === "End";
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (step === undefined ? !isEnd || event.target instanceof HTMLInputElement : !isAtEdge(event.target, step)) return;
  const items = itemsOf(group);
  const at = items.indexOf(event.target as HTMLElement);
  const next = step === undefined ? (event.key === "Home" ? 0 : items.length - 1) : (at + step + items.length) % items.length;
  event.preventDefault();
  items[next]?.focus();
}

/** The group's element needs the role toolbar, so that screen readers announce that arrow keys move within it. */
export function roveIn(group: HTMLElement): void {
  const first = group.querySelector<HTMLElement>("[aria-current]") ?? itemsOf(group)[0];
  if (first) setTabStop(group, first);
  group.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(focusable)) setTabStop(group, target);
  });
  group.addEventListener("keydown", (event) => move(group, event));
}
