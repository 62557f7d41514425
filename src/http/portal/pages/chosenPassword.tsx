import { passwordLength } from "../../../domain/members.js";
import { Field } from "../shell/form.js";

/** Where a person chooses a password. */
export const ChosenPassword = ({ label }: { label: string }) => (
  <Field
    label={label}
    name="password"
    type="password"
    minlength={passwordLength.least}
    maxlength={passwordLength.most}
    hint={`At least ${passwordLength.least} characters. Try a few words that only you would put together.`}
    autocomplete="new-password"
  />
);
