// Files that are judged without being sent: in processes of their own, so that the API serves others meanwhile.
import type { OrganisationFile } from "../../../domain/catalogue/schema.js";
import type { ImportKind } from "../../../events/importEvents.js";
import type { FileFormat } from "../../../ports.js";

export interface FileToCheck {
  readonly organisationId: string;
  readonly kind: ImportKind;
  readonly file: { readonly path: string; readonly name: string; readonly format: FileFormat };
  /** Holds what the check writes; its owner removes it when `run` has settled. */
  readonly folder: string;
  /** Today's. */
  readonly catalogue: OrganisationFile;
}

export interface Problem {
  readonly row: number;
  readonly columns: readonly string[];
  readonly reason: string;
}

export interface CheckedFile {
  readonly rows: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Shipments that would be written; null for activities. */
  readonly shipments: number | null;
  /** The first ones. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

export interface CheckWatch {
  /** Ends the check when it aborts. */
  readonly signal: AbortSignal;
  /** From 0 to 1; is called a few times a second. */
  readonly progress: (share: number) => void;
  /** Ids of shipments that would be written, some thousands at a time, each once. The check waits for the promise. */
  readonly shipments: (ids: readonly string[]) => Promise<void>;
}

export interface FileChecks {
  /** Makes sure that a member has one check at a time: throws a conflict, or returns the function that ends it. */
  readonly enter: (memberId: string) => () => void;
  /** Throws a Rejection for a file that cannot be read, TooBusy when others take too long, or the signal's reason. */
  readonly run: (file: FileToCheck, watch: CheckWatch) => Promise<CheckedFile>;
}
