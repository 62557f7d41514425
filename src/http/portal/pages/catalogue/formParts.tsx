// What the forms of the catalogue are made of.
import { Rejection } from "../../../../domain/rejection.js";
import { Button, ButtonLink } from "../../shell/form.js";
import type { FormView } from "./applyChange.js";
import { idOf } from "./parts.js";

/** Whether the form is shown again with what was typed. */
export const wasSent = ({ visit }: FormView): boolean => visit.submitted.get("version") !== "";
export const typed = (view: FormView, name: string, otherwise: string): string =>
  wasSent(view) ? view.visit.submitted.get(name) : otherwise;

export const Buttons = ({ view: { visit }, label, back }: { view: FormView; label: string; back: string }) => (
  <div class="button-row">
    <Button label={label} />
    <ButtonLink to={visit.links.to(back)} label="Cancel" quiet />
  </div>
);

/** Without this the fault would name the other entry by its place in the file. */
export function refuseKnown(entries: readonly ({ readonly id: string } | { readonly key: string })[], id: string, noun: string): void {
  if (entries.some((entry) => idOf(entry) === id)) throw new Rejection("invalid", `There is a ${noun} ${id} already`);
}

export const replaced = <Entry,>(entries: readonly Entry[], old: Entry, by: Entry): Entry[] =>
  entries.map((entry) => (entry === old ? by : entry));
