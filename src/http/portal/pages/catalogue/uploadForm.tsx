// A file that changes the catalogue: the form that takes it, and how it is received.
import { rm } from "node:fs/promises";
import type { Child } from "hono/jsx";
import { Rejection } from "../../../../domain/rejection.js";
import { receiveUpload, type Upload } from "../../../server/receiveUpload.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { Button, ButtonLink } from "../../shell/form.js";
import { Panel } from "../../shell/panel.js";
import { ensureFromOwnPage } from "../../visits.js";

/** A larger file is checked for so long that other people's pages would wait. */
export const largestCatalogue = 2 * 1024 * 1024;

/** The uploaded file, which is gone when the work has ended. */
export async function withUpload<Result>(
  visit: SignedInVisit,
  deps: PortalDeps,
  work: (upload: Upload) => Promise<Result>,
): Promise<Result> {
  const { context: c, stillAllowed } = visit;
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error("an upload needs a socket");
  const beforeFile = (fields: ReadonlyMap<string, string>) => ensureFromOwnPage(visit, deps, fields.get("token"));
  const upload = await receiveUpload(incoming, deps.tempDir, { fields: ["token"], beforeFile, stillAllowed });
  try {
    if (upload.size <= largestCatalogue) return await work(upload);
    throw new Rejection(
      "tooLarge",
      `The file has ${upload.size} bytes; here it may have ${largestCatalogue}. Apply a larger one with org apply`,
    );
  } finally {
    await rm(upload.folder, { recursive: true, force: true });
  }
}

interface ChooseFileProps {
  readonly visit: SignedInVisit;
  readonly to: string;
  readonly back: string;
  readonly accept: string;
  /** What the file is, and what it changes. */
  readonly children: Child;
}

export const ChooseFile = ({ visit, to, back, accept, children }: ChooseFileProps) => (
  <Panel id="choose" title="Choose a file">
    <form method="post" action={visit.links.to(to)} enctype="multipart/form-data" class="stacked">
      <input type="hidden" name="token" value={visit.formToken} />
      <div class="field">
        <label for="field-file">File</label>
        <input id="field-file" type="file" name="file" accept={accept} required aria-describedby="field-file-hint" />
        <p class="hint" id="field-file-hint">
          {children}
        </p>
      </div>
      <div class="button-row">
        <Button label="Show changes" />
        <ButtonLink to={visit.links.to(back)} label="Cancel" quiet />
      </div>
    </form>
  </Panel>
);
