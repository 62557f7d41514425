import { expect, test } from "vitest";
import { similarCode } from "../../../src/domain/imports/unusual.js";

test.each([
  ["pick", "PICK", "in case only"],
  ["PI CK", "PICK", "in blanks only"],
  ["PIKC", "PICK", "by two swapped neighbours"],
  ["PXCK", "PICK", "by one changed character"],
  ["PCK", "PICK", "by one missing character"],
  ["PIICK", "PICK", "by one added character"],
])("%s is near to %s: it differs %s", (code, known) => {
  expect(similarCode(code, ["STORAGE", known])).toBe(known);
});

test.each([
  ["PXXK", "two changed characters"],
  ["PK", "two missing characters"],
  ["PXICKX", "two added characters"],
  ["CIPK", "characters that are swapped and no neighbours"],
  ["PIKCX", "swapped neighbours and an added character"],
  ["pikc", "swapped neighbours in another case"],
])("%s is near to nothing: %s", (code) => {
  expect(similarCode(code, ["PICK"])).toBeUndefined();
});

test("what differs in case only goes before what differs by a character", () => {
  expect(similarCode("pick", ["ick", "PICK"])).toBe("PICK");
  expect(similarCode("PICK", ["PICK", "PACK"])).toBe("PACK"); // never the code itself
});
