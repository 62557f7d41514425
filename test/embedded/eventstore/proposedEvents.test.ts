import fc from "fast-check";
import { expect, test } from "vitest";
import { encode, type Field, MalformedMessage } from "../../../src/adapters/eventStore/protobuf.js";
import { encodeProperty } from "../../../src/embedded/eventstore/log/blockEncoder.js";
import { readProposedEvent } from "../../../src/embedded/eventstore/protocol/proposedEvents.js";

const property = (key: string, value: string): Field => [2, encodeProperty(key, value)];
const idField = (id: string): Field => [1, [[2, id]]];
const typed = [property("type", "RowAccepted"), property("content-type", "application/json")];
const ID = "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01";

/** The fields in any order; a field that comes twice counts as it came last. */
const events = fc.record({
  id: fc.uuid(),
  otherId: fc.uuid(),
  type: fc.constantFrom("RowAccepted", "RowRejected"),
  note: fc.boolean(),
  metadata: fc.constantFrom("", '{"v":1}'),
  data: fc.string({ maxLength: 200 }),
  upper: fc.boolean(),
  shape: fc.constantFrom("plain", "dataFirst", "idTwice", "dataTwice", "propertiesLast"),
});

test("an event is read as it was sent, in whatever order its fields come", () => {
  fc.assert(
    fc.property(events, ({ id, otherId, type, note, metadata, data, upper, shape }) => {
      const first = idField(upper ? id.toUpperCase() : id);
      const kept = [property("type", type), property("content-type", "application/json"), ...(note ? [property("note", "kept")] : [])];
      const middle: Field[] = [...kept, property("created", "17"), [3, metadata]];
      const last: Field = [4, data];
      const shapes: Record<typeof shape, Field[]> = {
        plain: [first, ...middle, last],
        dataFirst: [last, ...middle, first],
        idTwice: [idField(otherId), first, ...middle, last],
        dataTwice: [first, ...middle, [4, "old"], last],
        propertiesLast: [first, last, ...middle],
      };
      expect(readProposedEvent(encode(shapes[shape]))).toEqual({
        id,
        type,
        properties: kept.map(([, value]) => value), // when it was created is the server's to say
        metadata: Buffer.from(metadata),
        data: Buffer.from(data),
      });
    }),
  );
});

test.each<[string, Field[]]>([
  ["without an id", typed],
  ["with the nil id", [idField("00000000-0000-0000-0000-000000000000"), ...typed]],
  ["with an id that is not a UUID", [idField("9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9cXX"), ...typed]],
  [
    "with an id as two numbers",
    [
      [
        1,
        [
          [
            1,
            [
              [1, 1],
              [2, 2],
            ],
          ],
        ],
      ],
      ...typed,
    ],
  ],
  ["with an empty type", [idField(ID), property("type", ""), property("content-type", "application/json")]],
])("an event %s is refused", (_, fields) => {
  expect(() => readProposedEvent(encode(fields))).toThrow(MalformedMessage);
});

test.each([
  ["type", property("content-type", "application/json")],
  ["content-type", property("type", "t")],
])("an event without its %s is refused by name", (name, other) => {
  expect(() => readProposedEvent(encode([idField(ID), other]))).toThrow(`'${name}'`);
});
