// Cells at the edges of what each type of field takes, for properties of what the judges accept.
import fc from "fast-check";
import { columnsOf, type Field, type ImportKind } from "../../../src/domain/imports/fields.js";
import { cutMark } from "../../../src/domain/imports/limits.js";

/** Far from Greenwich on both sides, with offsets of half and quarter hours and of seconds in the early years. */
export const zones = [
  "UTC",
  "Australia/Sydney",
  "America/New_York",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Asia/Kathmandu",
  "Europe/Amsterdam",
];

const number = fc.oneof(
  fc.constantFrom("1e-320", "5e-324", "1e-400", "-1e-10", "0.0000000001", "0.000000001", "-1e-9", "1.2345678901234567e-9", "1e-7"),
  fc.constantFrom("999999999999999.9", "-999999999999999", "1e15", "123456789012345.678", "0", "-0", "0.0e5", ".5", "1.", "+3"),
  fc.double({ noNaN: true }).map(String),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map(String),
);

const day = fc.oneof(
  fc.constantFrom("1899-12-30", "1899-12-31", "1900-01-01", "1900-01-02", "9999-12-30", "9999-12-31", "2024-02-29", "2026-04-05"),
  fc
    .date({ min: new Date("1899-12-30T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10)),
);
const clock = fc.oneof(
  fc.constantFrom(
    "T00:00",
    "T23:59:59",
    "t23:59:59.999",
    " 00:29:59.9999999",
    "T23:59:59,999999999",
    "T10:00:00",
    "T13:59:59.9999",
    "T14:00:00.000",
  ),
);
const zone = fc.constantFrom("", "Z", "z", "+14:00", "-14:00", "+1030", "-05", "+00:00", "-11:59");
const time = fc.oneof(
  day,
  fc.tuple(day, clock, zone).map((parts) => parts.join("")),
  fc.constantFrom("1899-12-31T14:00:00.000Z", "+010000-01-01T04:59:59.000Z", "1899-12-31T09:59:59.999Z", "1899-12-31T10:00:00Z"),
);

const text = (most: number) =>
  fc.oneof(
    fc.string({ maxLength: 12, unit: "binary" }),
    fc.constantFrom(
      "\ufffd",
      `x${cutMark}`,
      "a\0b",
      "\ud800",
      "😀".repeat(most),
      "😀".repeat(most + 1),
      "x".repeat(most),
      "x".repeat(most + 1),
    ),
    fc.constantFrom(
      "\ufeffa",
      "a\u00a0",
      "=1+1",
      "'a",
      '"',
      'a"b,c',
      "a\r\nb",
      "a\rb",
      "a\n",
      "\\N",
      "\\",
      "\t",
      "a\tb",
      "\u2028",
      "\u001f",
    ),
  );

const good: Readonly<Record<Field["type"], string>> = {
  identifier: "ID-1",
  customer: "CUST-2",
  text: "some",
  place: "",
  number: "0.1",
  nonZero: "-2",
  positive: "3",
  time: "2026-03-01T09:30:00",
};
const edges: Readonly<Record<Field["type"], fc.Arbitrary<string>>> = {
  identifier: text(200),
  customer: fc.constantFrom("", " CUST-2 ", "NOBODY"),
  text: text(1000),
  place: fc.constantFrom("", "sydney", "2000", "NSW", "au", "nowhere"),
  number,
  nonZero: number,
  positive: number,
  time,
};

const goodCell = ({ name, type }: Field): string => (name.endsWith("PostCode") ? "2000" : good[type]);

/** A row of this kind, by field: all is well but for a few fields, which have values at the edges. */
export function cellsOf(kind: ImportKind): fc.Arbitrary<Record<string, string>> {
  const fields = columnsOf(kind);
  const sound = Object.fromEntries(fields.map((field) => [field.name, goodCell(field)]));
  const spoilt = fc.subarray([...fields], { minLength: 1, maxLength: 3 });
  return spoilt.chain((some) =>
    fc.record(Object.fromEntries(some.map(({ name, type }) => [name, edges[type]]))).map((changed) => ({ ...sound, ...changed })),
  );
}
