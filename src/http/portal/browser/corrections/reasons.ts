// Choosing a reason shows its rows in the same grid: the page, its place and the keyboard's focus stay where they are.

/** `choose` gets the page's query, such as `?kind=activities&reason=...`. */
export function bindReasons(choose: (query: string) => void): void {
  const chips = [...document.querySelectorAll<HTMLAnchorElement>("[data-reasons] a[data-reason]")];
  const mark = () => {
    const reason = new URLSearchParams(location.search).get("reason") ?? "";
    for (const chip of chips) chip.ariaCurrent = chip.dataset["reason"] === reason ? "true" : null;
  };
  for (const chip of chips)
    chip.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (chip.hasAttribute("aria-current")) return;
      history.pushState(null, "", chip.href);
      mark();
      choose(location.search);
    });
  addEventListener("popstate", () => {
    mark();
    choose(location.search);
  });
}
