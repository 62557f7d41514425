// One file uses internals of the vendor's client. The installed client has these internals.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EventStoreDBClient } from "@eventstore/db-client";
import appendErrors from "@eventstore/db-client/dist/streams/appendToStream/unpackError.js";
import uuids from "@eventstore/db-client/dist/utils/grpcUUID.js";
import service from "@eventstore/db-client/generated/streams_grpc_pb.js";
import messages from "@eventstore/db-client/generated/streams_pb.js";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../../../src", import.meta.url));

test("the installed client has all private members and generated code that are used", async () => {
  const { version } = createRequire(import.meta.url)("@eventstore/db-client/package.json") as { version: string };
  expect(version).toBe("6.2.1");
  const client = EventStoreDBClient.connectionString("esdb://127.0.0.1:1?tls=false");
  const members = client as unknown as Record<string, unknown>;
  for (const name of ["getGRPCClient", "callArguments", "handleError", "getChannel"]) expect(members[name], name).toBeTypeOf("function");
  expect(members["disposableStreams"]).toBeInstanceOf(Set);
  for (const used of [service.StreamsClient, messages.BatchAppendResp, appendErrors.unpackToCommandError, uuids.parseUUID])
    expect(used).toBeTypeOf("function");
  await client.dispose();
});

test("no other file uses the client's internals", () => {
  const insides =
    /db-client\/(dist|generated)|\["(getGRPCClient|callArguments|handleError|getChannel|disposableStreams)"\]|underlyingCalls|No connection established|Cancelled on client/;
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  expect(files.filter((file) => insides.test(readFileSync(join(source, file), "utf8")))).toEqual([
    join("adapters", "eventStore", "vendor.ts"),
  ]);
});
