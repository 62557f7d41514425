import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createPasswords } from "../../src/adapters/passwords.js";
import { passwordFault } from "../../src/domain/members.js";

const { isCommon, hash, matches } = createPasswords();
const known = ["ada.lovelace@example.com", "Northern Freight Pty Ltd", "northern", "Ada Lovelace"];
const fault = (password: string) => passwordFault(password, known, isCommon);

test.each(["seven lazy harbours", "correct horse battery staple", "kX9#vQ2!mL7p", "пароль из слов и запятых", "xxxvK2 qwopj 71!"])(
  "%j is accepted",
  (password) => {
    expect(fault(password)).toBeUndefined();
  },
);

test.each([
  ["eleven characters", "kX9#vQ2!mL7"],
  ["eleven characters of two code units each", "😀".repeat(11)],
  ["two hundred and one characters", `kX9#vQ2!mL7p${"ab c".repeat(48)}`.slice(0, 201)],
  ["a common password", "unbelievable"],
  ["a common password in capitals", "UNBELIEVABLE"],
  ["a common password with digits after it", "password1234"],
  ["a common password with signs around it", "!!sunshine2024"],
  ["one character repeated", "aaaaaaaaaaaaaa"],
  ["a few characters again and again", "abcabcabcabc"],
  ["a run of digits", "123456789012"],
  ["a run backwards", "987654321098"],
  ["a run of the keyboard", "qwertyuiopas"],
  ["the e-mail", "ada.lovelace@example.com"],
  ["the e-mail's first part with a year", "Ada.Lovelace2024"],
  ["the organisation", "northern freight pty ltd"],
  ["the name with signs", "Ada Lovelace!!!"],
])("%s is refused", (_, password) => {
  expect(fault(password)).toMatch(/\w/);
});

test("twelve and two hundred characters are the limits", () => {
  const long = "kX9#vQ2!mL7p".repeat(20).replaceAll("p", (_, at) => String.fromCharCode(97 + ((at as number) % 26)));
  expect([fault(long.slice(0, 11)), fault(long.slice(0, 201))].every((words) => words !== undefined)).toBe(true);
  expect([fault(long.slice(0, 12)), fault(long.slice(0, 200))]).toEqual([undefined, undefined]);
});

test("a hash is argon2id, salted, and matches its own password alone", async () => {
  const [one, two] = [await hash("seven lazy harbours"), await hash("seven lazy harbours")];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await matches("seven lazy harbours", one)).toBe(true);
  expect(await matches("seven lazy harbour", one)).toBe(false);
  expect(await matches("seven lazy harbours", undefined)).toBe(false);
});

test("hashes beyond the queue's limit fail at once as TooBusy, and the queue goes on", async () => {
  const few = createPasswords({ maxWaiters: 2 });
  const tries = await Promise.allSettled([1, 2, 3, 4, 5].map(() => few.hash("seven lazy harbours")));
  expect(tries.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"]);
  expect(tries.at(-1)).toMatchObject({ reason: { name: "TooBusy" } });
  await expect(few.hash("seven lazy harbours")).resolves.toMatch(/^\$argon2id/);
});

test.runIf(process.platform === "linux")("hashing runs in its own thread, which has a lower priority than the other threads", async () => {
  await hash("seven lazy harbours");
  const nice = async (path: string) => Number((await readFile(path, "utf8")).replace(/^.*\) /, "").split(" ")[16]);
  const own = await nice("/proc/self/stat");
  const threads = await readdir("/proc/self/task");
  const found = await Promise.all(threads.map((thread) => nice(`/proc/self/task/${thread}/stat`).catch(() => own)));
  expect(new Set(found)).toEqual(new Set([own, Math.min(19, own + 5)]));
});
