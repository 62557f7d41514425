import fc from "fast-check";
import { expect, test } from "vitest";
import { proposedEventReader } from "../../../src/embedded/eventstore/proposedEvents.js";
import { bytesField, textField, WireError } from "../../../src/embedded/eventstore/wire.js";

const property = (key: string, value: string): Buffer => bytesField(2, textField(1, key), textField(2, value));
const idField = (id: string): Buffer => bytesField(1, textField(2, id));

/** Few different values each, so that neighbours are often alike; the fields in any order, and now and then one twice. */
const fields = fc
  .record({
    id: fc.uuid(),
    otherId: fc.uuid(),
    type: fc.constantFrom("RowAccepted", "RowRejected"),
    more: fc.constantFrom([], [], [property("created", "17")], [property("note", "kept")]),
    metadata: fc.constantFrom([], [textField(3, "")], [textField(3, '{"v":1}')], [textField(3, '{"v":2}')]),
    data: fc.string({ maxLength: 200 }),
    upper: fc.boolean(),
    shape: fc.constantFrom("plain", "plain", "plain", "dataFirst", "idTwice", "dataTwice", "propertiesLast"),
  })
  .map(({ id, otherId, type, more, metadata, data, upper, shape }) => {
    const first = idField(upper ? id.toUpperCase() : id);
    const middle = [property("type", type), property("content-type", "application/json"), ...more, ...metadata];
    const last = textField(4, data);
    if (shape === "dataFirst") return Buffer.concat([last, ...middle, first]);
    if (shape === "idTwice") return Buffer.concat([first, idField(otherId), ...middle, last]);
    if (shape === "dataTwice") return Buffer.concat([first, ...middle, textField(4, "old"), last]);
    if (shape === "propertiesLast") return Buffer.concat([first, last, ...middle]);
    return Buffer.concat([first, ...middle, last]);
  });

test("an event reads the same whatever came before it", () => {
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 12 }), (messages) => {
      const read = proposedEventReader();
      for (const message of messages) expect(read(message)).toEqual(proposedEventReader()(message));
    }),
  );
});

test("neighbours of one type share their properties, which keep nothing of the message they came in", () => {
  const read = proposedEventReader();
  const message = (id: string, data: string) =>
    Buffer.concat([idField(id), property("type", "RowAccepted"), property("content-type", "application/json"), textField(4, data)]);
  const first = message("9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01", "1");
  const one = read(first);
  first.fill(0);
  const two = read(message("9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c02", "22"));
  expect(two.properties).toBe(one.properties);
  expect(two.properties.map((kept) => kept.includes("RowAccepted"))).toEqual([true, false]);
  expect([two.id, two.data.toString()]).toEqual(["9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c02", "22"]);
  expect(() => read(message("9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9cXX", "3"))).toThrow(WireError);
});
