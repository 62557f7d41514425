import { expect, test } from "vitest";
import { bindNames } from "../src/namedSql.js";

test("each name has one number, wherever it stands, and values that are not named are left out", () => {
  expect(bindNames("select :b::text, :a where c = :b", { a: 1, b: 2, other: 3 })).toEqual({
    text: "select $1::text, $2 where c = $1",
    values: [2, 1],
  });
});

test("casts, parts of an array and formats of times are no names", () => {
  const statement = "select a::text, numbers[s.first:s.last], 'HH24:MI:SS'";
  expect(bindNames(statement, { text: 1 })).toEqual({ text: statement, values: [] });
});
