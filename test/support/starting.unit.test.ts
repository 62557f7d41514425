import { expect, test } from "vitest";
import { starting } from "./starting.js";

test("what was started is closed in the opposite order, once", async () => {
  const closed: string[] = [];
  const stage = await starting(async (own) => ({
    first: await own("first", (name) => closed.push(name)),
    second: await own(Promise.resolve("second"), (name) => closed.push(name)),
  }));
  expect([stage.first, stage.second, closed]).toEqual(["first", "second", []]);
  await stage.close();
  await stage.close();
  expect(closed).toEqual(["second", "first"]);
});

test("where a start fails, what was started before it and what is still starting is closed before the error is thrown", async () => {
  const closed: string[] = [];
  let goOn: () => void = () => undefined;
  const slow = new Promise<string>((settle) => {
    goOn = () => settle("slow");
  });
  const started = starting(async (own) => {
    await own("first", (name) => closed.push(name));
    await Promise.all([own(slow, (name) => closed.push(name)), own(Promise.reject<string>(new Error("no")), (name) => closed.push(name))]);
    return {};
  });
  goOn();
  await expect(started).rejects.toThrow("no");
  expect(closed).toEqual(["slow", "first"]);
});
