import { expect, test } from "vitest";
import { type Action, may, type Role } from "../../src/domain/members.js";

test.each([
  ["admin", ["look", "operate", "catalogue", "members", "keys", "webhooks", "log"]],
  ["operator", ["look", "operate"]],
  ["viewer", ["look"]],
] as [Role, Action[]][])("%s may %j and nothing else", (role, allowed) => {
  const actions: Action[] = ["look", "operate", "catalogue", "members", "keys", "webhooks", "log"];
  expect(actions.filter((action) => may(role, action))).toEqual(allowed);
});
