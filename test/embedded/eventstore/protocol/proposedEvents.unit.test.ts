import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessage, MalformedMessage, readSafely, type WireField } from "../../../../src/adapters/eventStore/protocol/protobuf.js";
import { dataOf, idOf, type ProposedEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import { readProposedEvent } from "../../../../src/embedded/eventstore/protocol/appendRequests.js";

const property = (key: string, value: string): WireField => [
  2,
  [
    [1, key],
    [2, value],
  ],
];
const idField = (id: string): WireField => [1, [[2, id]]];
const typed = [property("type", "RowAccepted"), property("content-type", "application/json")];
const ID = "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01";

/** Reads the event from a message that has other bytes before and after it. */
function read(fields: WireField[]): ProposedEvent {
  const [before, event, behind] = [Buffer.from("\x0a\x12\x1a\x22"), encodeMessage(fields), Buffer.from("\x0a\x12\x1a\x22")];
  const message = Buffer.concat([before, event, behind]);
  const found = readSafely(message, (reader) => readProposedEvent(reader, { from: before.length, to: before.length + event.length }));
  expect([message.subarray(0, before.length), message.subarray(before.length + event.length)]).toEqual([before, behind]);
  return found;
}

/** The event's bytes with the field numbers of a recorded event. */
function asRecorded({ bytes, tags }: ProposedEvent): Buffer {
  const recorded = Buffer.from(bytes);
  for (const at of tags) recorded[at] = (recorded[at] as number) + (4 << 3);
  return recorded;
}

/** Events with their fields in several orders. Of a field that comes twice the last one counts. */
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
      const middle: WireField[] = [...kept, ...(created ? [property("created", "17")] : []), [3, metadata]];
      const last: WireField = [4, data];
      const shapes: Record<typeof shape, WireField[]> = {
        plain: [first, ...middle, last],
        dataFirst: [last, ...middle, first],
        idTwice: [idField(otherId), first, ...middle, last],
        dataTwice: [first, ...middle, [4, "old"], last],
        propertiesLast: [first, last, ...middle],
      };
      const event = read(shapes[shape]);
      const recorded: WireField[] = [...kept.map(([, value]): WireField => [6, value]), [7, metadata], [8, data]];
      expect([idOf(event), event.type, event.dataBytes]).toEqual([id, type, Buffer.byteLength(data)]);
      // A `created` property of the client is dropped: the server sets it.
      expect(asRecorded(event)).toEqual(encodeMessage([idField(id), ...recorded]));
      expect(dataOf(event).toString()).toBe(data);
    }),
  );
});

test("an event is read as it was sent, whatever the event before it in the message has", () => {
  const kinds: WireField[][] = [
    [...typed, [3, '{"v":1}'], [4, "{}"]],
    [...typed, [3, '{"v":2}'], [4, "{}"]],
    [...typed, [3, '{"v":1}'], [4, "longer data"]],
    [...typed, [3, '{"v":1}']],
    [...typed, [4, "{}"]],
    [...typed],
    [property("type", "RowAccepte1"), property("content-type", "application/json"), [3, '{"v":1}'], [4, "{}"]],
    [...typed, property("note", "kept"), [3, '{"v":1}'], [4, "{}"]],
    [property("content-type", "application/json"), property("type", "RowAccepted"), [3, '{"v":1}'], [4, "{}"]],
    [...typed, property("created", "17"), [3, '{"v":1}'], [4, "{}"]],
    [[4, "{}"], ...typed],
  ];
  const faulty: WireField[][] = [[property("type", "RowAccepted")], [property("type", "RowAccepted"), [4, "{}"]], [[4, "{}"]]];
  const one = fc.record({ id: fc.uuid(), fields: fc.constantFrom(...kinds, ...faulty) });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), (sent) => {
      const message = Buffer.concat(sent.map(({ id, fields }) => encodeMessage([idField(id), ...fields])));
      readSafely(message, (reader) => {
        let [from, before] = [0, undefined as ProposedEvent | undefined];
        for (const { id, fields } of sent) {
          const to = from + encodeMessage([idField(id), ...fields]).length;
          if (faulty.includes(fields)) expect(() => readProposedEvent(reader, { from, to }, before)).toThrow(/'(content-)?type'/);
          else {
            before = readProposedEvent(reader, { from, to }, before);
            const alone = read([idField(id), ...fields]);
            expect(idOf(before)).toBe(id);
            expect({ ...before, tags: [...before.tags] }).toEqual(alone);
          }
          from = to;
        }
      });
    }),
  );
});

test("an event that is cut anywhere is read or refused as if it were alone, also after a similar event", () => {
  const whole = encodeMessage([idField(ID), ...typed, [3, "{}"], [4, "data"]]);
  const outcome = (bytes: Buffer, from: number, to: number, before?: ProposedEvent): unknown => {
    try {
      return asRecorded(readSafely(bytes, (reader) => readProposedEvent(reader, { from, to }, before)));
    } catch (error) {
      return (error as Error).message.replace(/\d+ \+ \d+ > \d+/, "");
    }
  };
  const before = readSafely(Buffer.from(whole), (reader) => readProposedEvent(reader, { from: 0, to: whole.length }));
  for (let length = 0; length < whole.length; length++) {
    const cut = whole.subarray(0, length);
    expect(outcome(Buffer.from(cut), 0, length, before)).toEqual(outcome(Buffer.from(cut), 0, length));
    // With more of the message after it.
    const message = Buffer.concat([whole, cut, whole]);
    const [from, to] = [whole.length, whole.length + length];
    expect(outcome(Buffer.from(message), from, to, before)).toEqual(outcome(Buffer.from(message), from, to));
  }
});

test("a property whose key field comes again as a number keeps its text key, so that `created` is dropped once", () => {
  const number = Buffer.from([0x08, 0x00]); // the field number of the key, with a number for its value
  const content = encodeMessage([
    [1, "created"],
    [2, "17"],
  ]);
  const event = read([idField(ID), ...typed, [2, Buffer.concat([content, number])], [4, "data"]]);
  expect(asRecorded(event)).toEqual(encodeMessage([idField(ID), ...typed.map(([, value]): WireField => [6, value]), [7, ""], [8, "data"]]));
});

test("ids are accepted in any case and kept in lower case; malformed ids are refused", () => {
  const upper = ID.toUpperCase();
  const event = encodeMessage([idField(upper), ...typed, [4, "a"]]);
  readSafely(Buffer.concat([event, event]), (reader) => {
    const before = readProposedEvent(reader, { from: 0, to: event.length });
    expect([before, readProposedEvent(reader, { from: event.length, to: 2 * event.length }, before)].map(idOf)).toEqual([ID, ID]);
  });
  const almost = [
    ID.slice(1),
    `${ID}0`,
    `g${ID.slice(1)}`,
    ID.replace("-", "0"),
    `-${ID.slice(1)}`,
    `${ID.slice(0, -2)}é`,
    `{${ID.slice(2)}}`,
  ];
  for (const id of almost) expect(() => read([idField(id), ...typed])).toThrow("an event needs a UUID");
  for (let at = 0; at < ID.length; at++)
    for (const wrong of ["/", ":", "@", "G", "`", "g", "\0", " "])
      expect(() => read([idField(ID.slice(0, at) + wrong + ID.slice(at + 1)), ...typed])).toThrow("an event needs a UUID");
});

test("the fields of an event are not copied when they came in order", () => {
  const message = encodeMessage([idField(ID), ...typed, [3, "{}"], [4, "data"]]);
  const { bytes } = readSafely(message, (reader) => readProposedEvent(reader, { from: 0, to: message.length }));
  expect(bytes.buffer).toBe(message.buffer);
  expect([bytes.byteOffset, bytes.length]).toEqual([message.byteOffset, message.length]);
});

test.each<[string, WireField[]]>([
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
])("an event without its %s is refused, and the error names it", (name, other) => {
  expect(() => read([idField(ID), other])).toThrow(`'${name}'`);
});
