// What can be done with the imports of one kind, and waiting for one of either kind.
import { NotFoundError } from "./errors.js";
import { type CallOptions, pages, type Send } from "./transport.js";
import type { AcceptedFile, CorrectedRow, Import, ImportEvent, ImportFilter, RejectedRowFilter } from "./types.js";
import { type FileOptions, formOf, type UploadSource } from "./upload.js";
import { hasEnded, type WaitOptions, waitFor } from "./waiting.js";

export interface PushOptions extends CallOptions {
  /** One of your own, to push again after a restart. The client makes one for each push unless given. */
  readonly idempotencyKey?: string;
}

export type UploadOptions = PushOptions & FileOptions;

/** An id, what a push has answered, an import, or the body of a webhook about one. */
export type AnyImport = string | { readonly importId: string } | ImportEvent;

export function withKey({ idempotencyKey = crypto.randomUUID(), signal }: PushOptions) {
  return { idempotencyKey, ...withSignal({ signal }) };
}

export function withSignal({ signal }: { readonly signal?: AbortSignal | undefined }): CallOptions {
  return signal === undefined ? {} : { signal };
}

export function uploadTo(send: Send, path: string) {
  return async (source: UploadSource, options: UploadOptions = {}): Promise<AcceptedFile> =>
    send({ method: "POST", path, form: formOf(source, options), ...withKey(options) });
}

export function importsUnder<Row, Accepted>(send: Send, path: string) {
  const pathOf = (importId: string, rest = "") => `${path}/${encodeURIComponent(importId)}${rest}`;
  const get = (importId: string, options: CallOptions = {}): Promise<Import> =>
    send({ method: "GET", path: pathOf(importId), ...withSignal(options) });
  return {
    get,
    list: (filter: ImportFilter = {}, options: CallOptions = {}) => pages<Import>(send, path, filter, options),
    rejectedRows: (importId: string, filter: RejectedRowFilter = {}, options: CallOptions = {}) =>
      pages<Row>(send, pathOf(importId, "/errors"), filter, options),
    correct: (importId: string, rows: CorrectedRow[], options: PushOptions = {}): Promise<Accepted> =>
      send({ method: "POST", path: pathOf(importId, "/corrections"), json: { rows }, ...withKey(options) }),
    cancel: (importId: string, options: CallOptions = {}): Promise<Import> =>
      send({ method: "POST", path: pathOf(importId, "/cancel"), ...withSignal(options) }),
    /** Resolves when the import has ended, whether it is completed, failed or cancelled: look at its status. */
    wait: (of: AnyImport, options: WaitOptions = {}) => waitForAny(of, (importId, signal) => get(importId, { signal }), options),
  };
}

/** The body of a webhook about an ended import already holds its final state: then no request is sent. */
async function waitForAny(
  of: AnyImport,
  ask: (importId: string, signal: AbortSignal) => Promise<Import>,
  options: WaitOptions,
): Promise<Import> {
  const told = typeof of === "object" && "data" in of ? of.data : undefined;
  if (told && hasEnded(told)) return told;
  const { importId } = told ?? (typeof of === "string" ? { importId: of } : (of as { readonly importId: string }));
  return waitFor((signal) => ask(importId, signal), options);
}

interface Gettable {
  get(importId: string, options?: CallOptions): Promise<Import>;
}

/** An id does not tell of which kind its import is. The first kind is asked, and the second one where the first answers 404. */
export function importsOfEitherKind(kinds: readonly [Gettable, Gettable]) {
  return {
    wait: (of: AnyImport, options: WaitOptions = {}) => {
      let known: Gettable | undefined;
      const ask = async (importId: string, signal: AbortSignal) => {
        if (known) return known.get(importId, { signal });
        const [first, second] = kinds;
        try {
          const found = await first.get(importId, { signal });
          known = first;
          return found;
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
        }
        const found = await second.get(importId, { signal });
        known = second;
        return found;
      };
      return waitForAny(of, ask, options);
    },
  };
}
