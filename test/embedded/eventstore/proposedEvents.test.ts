import fc from "fast-check";
import { expect, test } from "vitest";
import { encode, type Field, MalformedMessage, reading } from "../../../src/adapters/eventStore/protobuf.js";
import { dataOf, type ProposedEvent } from "../../../src/embedded/eventstore/log/blockEncoder.js";
import { readProposedEvent } from "../../../src/embedded/eventstore/protocol/proposedEvents.js";

const property = (key: string, value: string): Field => [
  2,
  [
    [1, key],
    [2, value],
  ],
];
const idField = (id: string): Field => [1, [[2, id]]];
const typed = [property("type", "RowAccepted"), property("content-type", "application/json")];
const ID = "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01";

/** The event stands between others, as it does in a message. */
function read(fields: Field[]): ProposedEvent {
  const [before, event, behind] = [Buffer.from("\x0a\x12\x1a\x22"), encode(fields), Buffer.from("\x0a\x12\x1a\x22")];
  const message = Buffer.concat([before, event, behind]);
  const found = reading(message, (reader) => readProposedEvent(reader, { from: before.length, to: before.length + event.length }));
  expect([message.subarray(0, before.length), message.subarray(before.length + event.length)]).toEqual([before, behind]);
  return found;
}

/** The fields in any order; a field that comes twice counts as it came last. */
const events = fc.record({
  id: fc.uuid(),
  otherId: fc.uuid(),
  type: fc.constantFrom("RowAccepted", "RowRejected"),
  note: fc.boolean(),
  created: fc.boolean(),
  metadata: fc.constantFrom("", '{"v":1}'),
  data: fc.string({ maxLength: 200 }),
  upper: fc.boolean(),
  shape: fc.constantFrom("plain", "dataFirst", "idTwice", "dataTwice", "propertiesLast"),
});

test("an event is read as it was sent, in whatever order its fields come", () => {
  fc.assert(
    fc.property(events, ({ id, otherId, type, note, created, metadata, data, upper, shape }) => {
      const first = idField(upper ? id.toUpperCase() : id);
      const kept = [property("type", type), property("content-type", "application/json"), ...(note ? [property("note", "kept")] : [])];
      const middle: Field[] = [...kept, ...(created ? [property("created", "17")] : []), [3, metadata]];
      const last: Field = [4, data];
      const shapes: Record<typeof shape, Field[]> = {
        plain: [first, ...middle, last],
        dataFirst: [last, ...middle, first],
        idTwice: [idField(otherId), first, ...middle, last],
        dataTwice: [first, ...middle, [4, "old"], last],
        propertiesLast: [first, last, ...middle],
      };
      const event = read(shapes[shape]);
      const recorded: Field[] = [...kept.map(([, value]): Field => [6, value]), [7, metadata], [8, data]];
      // When it was created is the server's to say.
      expect(event).toEqual({ id, type, fields: encode(recorded), dataBytes: Buffer.byteLength(data) });
      expect(dataOf(event).toString()).toBe(data);
    }),
  );
});

test("the fields of an event are not copied when they came in order", () => {
  const message = encode([idField(ID), ...typed, [3, "{}"], [4, "data"]]);
  const { fields } = reading(message, (reader) => readProposedEvent(reader, { from: 0, to: message.length }));
  expect(fields.buffer).toBe(message.buffer);
  expect(fields.byteOffset + fields.length).toBe(message.byteOffset + message.length);
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
  expect(() => read(fields)).toThrow(MalformedMessage);
});

test.each([
  ["type", property("content-type", "application/json")],
  ["content-type", property("type", "t")],
])("an event without its %s is refused by name", (name, other) => {
  expect(() => read([idField(ID), other])).toThrow(`'${name}'`);
});
