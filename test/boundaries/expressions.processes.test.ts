// `npm run expressions` names regular expressions that a long text could use to stop the process.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/expressions.mjs", import.meta.url));

/** Runs the check on one file with this text. */
async function check(text: string): Promise<{ code: number; lines: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-expressions-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "planted.tsx"), text);
  return new Promise((settle) => {
    execFile(process.execPath, [script, folder], (error, stdout) =>
      settle({ code: Number(error?.code ?? 0), lines: stdout.split("\n").filter(Boolean) }),
    );
  });
}

test("expressions that take more than linear time are named with file and line, however they are written", async () => {
  const { code, lines } = await check(
    [
      'const word = "a+";',
      "export const half = 4 / 2 / 1; // ü: lines are counted in characters, offsets in bytes",
      "export const Trimmed = ({ text }: { text: string }) => <p>{text.replace(/\\/+$/, '')}</p>;",
      `export const made = new RegExp(\`^(?:\${word})+$\`, "i");`,
      "export const given = (source: string) => RegExp(source);",
      "export const fine = [/^a+$/, new RegExp('^[\\\\u200b-\\\\u200d]$')];",
    ].join("\n"),
  );
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/planted\.tsx:3 .*takes 2nd degree polynomial time$/),
    expect.stringMatching(/planted\.tsx:4 .*takes exponential time$/),
    expect.stringMatching(/planted\.tsx:5 .*known only when the code runs$/),
  ]);
});
