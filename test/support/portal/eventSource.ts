// Opens an event stream of the portal as a browser does, and keeps what came and how the stream ended.
import type { Visitor } from "./portal.js";

export interface OpenSource {
  readonly status: number;
  /** The versions that the page was told of, in order. */
  readonly versions: string[];
  /** Everything that came, as it came. */
  text(): string;
  /** `cut`: the connection broke before the end of the answer. */
  ended(): "in order" | "cut" | undefined;
  close(): Promise<void>;
}

export async function openSource(who: Visitor, path: string): Promise<OpenSource> {
  const response = await who.get(path, { accept: "text/event-stream" });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const versions: string[] = [];
  let text = "";
  let taken = 0;
  let ended: ReturnType<OpenSource["ended"]>;
  const take = () => {
    for (let end = text.indexOf("\n\n", taken); end !== -1; end = text.indexOf("\n\n", taken)) {
      const message = text.slice(taken, end);
      if (message.startsWith("data: ")) versions.push((JSON.parse(message.slice("data: ".length)) as { version: string }).version);
      taken = end + 2;
    }
  };
  const read = async () => {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      take();
    }
  };
  const reading = read().then(
    () => {
      ended = "in order";
    },
    () => {
      ended = "cut";
    },
  );
  return {
    status: response.status,
    versions,
    text: () => text,
    ended: () => ended,
    close: async () => {
      await reader?.cancel();
      await reading;
    },
  };
}
