// Groups of links and buttons that are one stop of the Tab key each: the arrow keys, Home and End move within a group.

const within = "a[href], button, summary, input";

/** Those that can have the focus now. */
const itemsOf = (group: HTMLElement): HTMLElement[] =>
  [...group.querySelectorAll<HTMLElement>(within)].filter((item) => item.checkVisibility({ visibilityProperty: true }));

function enter(group: HTMLElement, item: HTMLElement): void {
  for (const each of group.querySelectorAll<HTMLElement>(within)) each.tabIndex = each === item ? 0 : -1;
}

/** In a text the arrow keys move the caret, until it is at the end on that side. */
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

/** The group has the role toolbar: a screen reader then says that the arrow keys move in it. */
export function roveIn(group: HTMLElement): void {
  const first = group.querySelector<HTMLElement>("[aria-current]") ?? itemsOf(group)[0];
  if (first) enter(group, first);
  group.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(within)) enter(group, target);
  });
  group.addEventListener("keydown", (event) => move(group, event));
}
