// Text answers, compressed for those who accept it. Streams are sent as they are: event streams, files, lines that are written one by one.
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** Less than this fits into one packet. */
const leastBytes = 1_400;

/** The fastest setting takes 0.25 ms for a page of 60 KB and leaves a sixth of it; the next ones take three times as long for a tenth less. */
const fast = 1;
/** For files that are compressed once and sent many times. */
const small = 9;

/** Node copies a text to put the headers before it, and the collector copies what waits to be sent. Neither copies bytes. */
const largeText = 16 * 1024;

type Encoding = "br" | "gzip";

/** The part of a request that says which encodings it accepts. */
interface EncodingRequest {
  readonly req: { header(name: string): string | undefined };
}

interface CompressedBody {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body as it is sent, and the headers that say how. */
export function compressedText({ req }: EncodingRequest, text: string, quality = fast): CompressedBody {
  if (text.length < leastBytes) return { body: text, headers: {} };
  const encoding = acceptedEncoding(req.header("accept-encoding"));
  const vary = { vary: "accept-encoding" };
  if (encoding === undefined) return { body: text.length < largeText ? text : Buffer.from(text), headers: vary };
  const brotli = () => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
  const body = encoding === "gzip" ? gzipSync(text, { level: quality }) : brotli();
  return { body, headers: { ...vary, "content-encoding": encoding } };
}

/** For a text that never changes: it is compressed once for each encoding. */
export function compressedOnce(text: string): (asking: EncodingRequest) => CompressedBody {
  const kept = new Map<string, CompressedBody>();
  return (asking) => {
    const encoding = acceptedEncoding(asking.req.header("accept-encoding")) ?? "none";
    const known = kept.get(encoding) ?? compressedText(asking, text, small);
    kept.set(encoding, known);
    return known;
  };
}

const encodings: readonly Encoding[] = ["br", "gzip"];

/** The encoding that is cheapest for us among those that the request names. `*` names none. */
function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const accepted = header
    .toLowerCase()
    .split(",")
    .map((each) => each.split(";").map((part) => part.trim()))
    .filter(([, weight]) => weight === undefined || Number(weight.replace(/^q=/, "")) > 0)
    .map(([name]) => name);
  return encodings.find((encoding) => accepted.includes(encoding));
}
