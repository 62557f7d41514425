import { uuidPattern } from "../../../domain/uuid.js";
import type { Links } from "../links.js";

const named = new RegExp(`\\bimport (${uuidPattern})`, "gi");

/** A sentence as the API says it. Where it names an import by its id, the id is short here and leads to the import. */
export function Sentence({ links, text }: { links: Links; text: string }) {
  const parts: unknown[] = [];
  let end = 0;
  for (const { 1: importId = "", index } of text.matchAll(named)) {
    const start = index + "import ".length;
    parts.push(
      text.slice(end, start),
      <a href={links.to(`/portal/imports/${importId}`)} title={importId}>
        {importId.slice(0, 8)}...
      </a>,
    );
    end = start + importId.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
