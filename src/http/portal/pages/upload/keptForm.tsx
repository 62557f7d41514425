import type { SignedInVisit } from "../../page.js";
import { Button, Form } from "../../shell/form.js";
import { keptPath, sendKeptPath } from "./paths.js";

interface Props {
  readonly visit: SignedInVisit;
  readonly fileId: string;
  readonly label: string;
  /** The import that is known to have the same file. */
  readonly again?: string;
}

/** Uploads a file that is kept, with scripts or without. */
export const KeptForm = ({ visit, fileId, label, again }: Props) => (
  <Form visit={visit} to={keptPath} class="kept-form" data-kept={visit.links.to(sendKeptPath)}>
    <input type="hidden" name="file" value={fileId} />
    {again === undefined ? null : <input type="hidden" name="again" value={again} />}
    <Button label={label} />
  </Form>
);
