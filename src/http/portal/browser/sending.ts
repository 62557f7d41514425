// A form is sent once, however often its button is pressed. Coming back to the page makes it usable again.
const sent = new WeakSet<HTMLFormElement>();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
});

addEventListener("pageshow", () => {
  for (const form of document.forms) sent.delete(form);
});

export {};
