// The page Columns: which required fields are still missing, while somebody chooses.

function start(form: HTMLFormElement, status: HTMLElement): void {
  const choices = [...form.querySelectorAll<HTMLSelectElement | HTMLInputElement>("[data-taken]")];
  /** Where fields are written: the name of each, by what is written for it. */
  const options = [...form.querySelectorAll<HTMLOptionElement>("datalist option")];
  const written = new Map(options.map(({ value, dataset }) => [comparable(value), dataset["name"]]));
  const fields = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  const inputOf = (field: HTMLElement) => field.querySelector("input") as HTMLInputElement;

  const update = () => {
    const taken = new Set(choices.map(({ value }) => written.get(comparable(value)) ?? value));
    for (const choice of choices) choice.closest("tr")?.classList.toggle("muted-row", choice.value.trim() === "");
    for (const field of fields) field.hidden = taken.has(field.dataset["field"] ?? "") && inputOf(field).value === "";
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
  update(); // a browser that comes back to the page fills in what was chosen
}

const comparable = (text: string) => text.trim().toLowerCase();

const note = document.querySelector<HTMLElement>("[data-missing]");
const form = note?.closest("form");
if (form && note) start(form, note);

export {};
