import { expect, it } from "vitest";
import { fileNameFault } from "../../../src/domain/files/header.js";

it.each([
  ["orders.csv", "csv"],
  ["ORDERS.CSV", "csv"],
  ["orders.2026.xlsx", "xlsx"],
  ["orders.csv", "xlsx"],
] as const)("%s with the content of a .%s is taken", (name, format) => {
  expect(fileNameFault(name, format)).toBeUndefined();
});

it.each([
  ["orders.xls", "csv", /\.xls format is not supported/],
  ["orders.XLS", "xlsx", /\.xls format is not supported/],
  ["orders.txt", "csv", /type is not supported/],
  ["orders.xlsm", "xlsx", /type is not supported/],
  ["orders", "csv", /type is not supported/],
  ["csv", "csv", /type is not supported/],
  ["orders.xlsx", "csv", /cannot be read as \.xlsx/],
] as const)("%s with the content of a .%s is refused", (name, format, message) => {
  expect(fileNameFault(name, format)).toMatch(message);
});
