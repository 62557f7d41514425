// A file as the multipart form that the service takes.
import { openPath } from "./openPath.js";
import type { Form } from "./transport.js";

/** A path (Node), a File or Blob, or a stream of bytes. */
export type UploadSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface FileOptions {
  /** Ends in `.csv` or `.xlsx`. A path and a File have names of their own. */
  readonly name?: string;
  /** Your reference for the import; the file's name unless given. */
  readonly sourceDetails?: string;
}

export function formOf(source: UploadSource, options: FileOptions): Form {
  if (typeof source === "string") {
    return { repeatable: true, open: async () => blobForm(await openPath(source), options) };
  }
  if (source instanceof Blob) {
    const name = named(options.name ?? (source as Partial<File>).name);
    return { repeatable: true, open: async () => blobForm({ file: source, name }, options) };
  }
  const name = named(options.name);
  return { repeatable: false, open: async () => streamForm(source, name, options) };
}

function named(name: string | undefined): string {
  if (name === undefined) throw new TypeError("Give the file a name that ends in .csv or .xlsx: { name: 'orders.csv' }");
  return name;
}

function blobForm({ file, name }: { readonly file: Blob; readonly name: string }, options: FileOptions) {
  const body = new FormData();
  if (options.sourceDetails !== undefined) body.append("sourceDetails", options.sourceDetails);
  body.append("file", file, options.name ?? name);
  return { body };
}

function streamForm(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>, name: string, { sourceDetails }: FileOptions) {
  const boundary = `waybill-${crypto.randomUUID()}`;
  const start = `--${boundary}\r\nContent-Disposition: form-data; name=`;
  const details = sourceDetails === undefined ? "" : `${start}"sourceDetails"\r\n\r\n${sourceDetails}\r\n`;
  const head = `${details}${start}"file"; filename="${quoted(name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const encoder = new TextEncoder();
  const parts = (async function* () {
    yield encoder.encode(head);
    yield* chunksOf(source);
    yield encoder.encode(`\r\n--${boundary}--\r\n`);
  })();
  return { body: streamOf(parts), type: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers write names in forms. */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!(source instanceof ReadableStream)) return yield* source;
  const reader = source.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Takes a chunk from the source only when the connection has room for it. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
