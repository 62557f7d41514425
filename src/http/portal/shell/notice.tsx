import type { Notice } from "../visit.js";

/** What came of the last form: said once, and read out by a screen reader. */
export function NoticeBox({ notice }: { notice: Notice | undefined }) {
  if (!notice) return null;
  const [first, ...more] = notice.lines;
  return (
    <div class={`notice ${notice.kind}`} role={notice.kind === "error" ? "alert" : "status"}>
      <p>{first}</p>
      {more.length > 0 ? (
        <ul>
          {more.map((line) => (
            <li>{line}</li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
