// One file uses internals of the vendor's client. A client without these internals is refused with a message that names the supported version.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EventStoreDBClient } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { checkPrivateMembers, connectClient, loadInside } from "../../../src/adapters/eventStore/vendor.js";

const address = "esdb://127.0.0.1:1?tls=false";
const source = fileURLToPath(new URL("../../../src", import.meta.url));
const namesTheVersion = expect.objectContaining({ name: "ClientChanged", message: expect.stringContaining("written for version 6.2.1") });

/** A client of a later release that has all of this one's members but the named one. */
function clientWithout(member: string): object {
  const client = EventStoreDBClient.connectionString(address);
  Object.defineProperty(client, member, { value: undefined });
  return client;
}

const thrownBy = (action: () => unknown): unknown => {
  try {
    return action();
  } catch (error) {
    return error;
  }
};

test("the installed client has all members that are used", async () => {
  await connectClient(address).dispose();
  const { version } = createRequire(import.meta.url)("@eventstore/db-client/package.json") as { version: string };
  expect(version).toBe("6.2.1");
});

test.each(["getGRPCClient", "callArguments", "handleError", "getChannel", "disposableStreams"])(
  "a client without %s is refused by name, with the version that has it",
  (member) => {
    const error = thrownBy(() => checkPrivateMembers(clientWithout(member)));
    expect(error).toEqual(namesTheVersion);
    expect(String(error)).toContain(member);
  },
);

test("a client without a generated file, or with one that lacks a used member, is refused in the same way", () => {
  const noFile = () => createRequire(import.meta.url)("@eventstore/db-client/generated/none.js");
  const missing = thrownBy(() => loadInside<Record<"any", unknown>>(noFile, "any"));
  expect(missing).toEqual(namesTheVersion);
  expect(String(missing)).toContain("has no any");
  expect((missing as Error).cause).toMatchObject({ code: "MODULE_NOT_FOUND" });
  expect(thrownBy(() => loadInside<Record<"BatchAppendResp", unknown>>(() => ({}), "BatchAppendResp"))).toEqual(namesTheVersion);
});

test("no other file uses the client's internals", () => {
  const insides =
    /db-client\/(dist|generated)|\["(getGRPCClient|callArguments|handleError|getChannel|disposableStreams)"\]|underlyingCalls|No connection established|Cancelled on client/;
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  expect(files.filter((file) => insides.test(readFileSync(join(source, file), "utf8")))).toEqual([
    join("adapters", "eventStore", "vendor.ts"),
  ]);
});
