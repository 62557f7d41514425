import type { Fields } from "../../fields.js";

interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  readonly options: readonly { readonly id: string; readonly label: string }[];
  readonly chosen: readonly string[];
  readonly empty: string;
}

/** The page lists this many. Further ones are entered by their ids. */
const mostListed = 200;

/** Boxes to tick; of a long list those that are chosen come first. */
export function Choices({ legend, name, options, chosen, empty }: ChoicesProps) {
  const wanted = new Set(chosen);
  const sorted = options.length > mostListed ? [...options].sort((a, b) => Number(wanted.has(b.id)) - Number(wanted.has(a.id))) : options;
  const listed = sorted.slice(0, mostListed);
  const others = chosen.filter((id) => !listed.some((option) => option.id === id));
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.length === 0 ? <p class="hint">{empty}</p> : null}
      <ul>
        {listed.map(({ id, label }) => (
          <li>
            <label class="check">
              <input type="checkbox" name={name} value={id} checked={wanted.has(id)} />
              <span>
                {label} <span class="muted customer-id">{id}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {options.length > mostListed || others.length > 0 ? (
        <label>
          Others, by id, separated by commas
          <input name={`${name}Others`} value={others.join(", ")} autocomplete="off" />
        </label>
      ) : null}
    </fieldset>
  );
}

/** What is ticked and what is entered, each once. */
export const chosenIn = (fields: Fields, name: string): string[] => [
  ...new Set([...fields.all(name), ...fields.get(`${name}Others`).split(",")].map((id) => id.trim()).filter((id) => id !== "")),
];
