// The page Columns: shows which required fields are still missing while a person chooses.

function start(form: HTMLFormElement, status: HTMLElement): void {
  const choices = [...form.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[data-taken]")];
  const options = [...form.querySelectorAll<HTMLOptionElement>("datalist option")];
  /** The names of fields by the text that a person types to choose them. Empty if fields are chosen from a list. */
  const namesByText = new Map(options.map(({ value, dataset }) => [comparable(value), dataset["name"]]));
  const fields = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  const inputOf = (field: HTMLElement) => field.querySelector("input") as HTMLInputElement;

  const update = () => {
    const chosenNames = new Set(choices.map(({ value }) => namesByText.get(comparable(value)) ?? value));
    for (const choice of choices) choice.closest("tr")?.classList.toggle("muted-row", choice.value.trim() === "");
    for (const field of fields) field.hidden = chosenNames.has(field.dataset["field"] ?? "") && inputOf(field).value === "";
    const missing = fields.filter(
      (field) => field.dataset["required"] !== undefined && !field.hidden && inputOf(field).value.trim() === "",
    );
    const names = missing.map((field) => field.dataset["required"]);
    const text = names.length === 0 ? "Every required field has a column or a value." : `Required and missing: ${names.join(", ")}.`;
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("warn", names.length > 0);
    status.classList.toggle("done", names.length === 0);
  };
  form.addEventListener("change", update);
  update(); // a browser that returns to the page restores earlier choices
}

const comparable = (text: string) => text.trim().toLowerCase();

const missingNote = document.querySelector<HTMLElement>("[data-missing]");
const form = missingNote?.closest("form");
if (form && missingNote) start(form, missingNote);

export {};
