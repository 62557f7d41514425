// Buttons that copy are shown once they work, and say so for a moment.
const saidForMs = 2_000;

/** `label`: the button's usual text. It cannot be read from the button, which may be pressed again while it says Copied. */
async function copy(button: HTMLButtonElement, label: string): Promise<void> {
  await navigator.clipboard.writeText(button.dataset["copy"] ?? "");
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, saidForMs);
}

/** Without the clipboard (an address that is not https) the text is selected, so that the keyboard copies it. */
function select(button: HTMLButtonElement): void {
  const text = button.parentElement?.querySelector("code");
  if (text) getSelection()?.selectAllChildren(text);
}

function show(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy][hidden]")) {
    button.hidden = false;
    const label = button.textContent;
    button.addEventListener("click", () => void copy(button, label).catch(() => select(button)));
  }
}

show();
document.addEventListener("htmx:after:swap", show);

export {};
