import fc from "fast-check";
import { expect, test } from "vitest";
import { replyReader } from "../../../src/adapters/eventStore/readReply.js";
import { field, messageOf } from "../../../src/adapters/eventStore/wire.js";

interface Sent {
  readonly stream: string;
  readonly properties: readonly (readonly [string, string])[];
  readonly metadata: string;
  readonly n: number;
}

function reply({ stream, properties, metadata, n }: Sent): Buffer {
  const text = (number: number, value: string) => field(number, Buffer.from(value));
  const recorded = messageOf(
    field(1, text(2, "00000000-0000-4000-8000-000000000001")),
    field(2, text(3, stream)),
    field(3, BigInt(n)),
    field(4, BigInt(n)),
    field(5, BigInt(n)),
    ...properties.map(([key, value]) => field(6, messageOf(text(1, key), text(2, value)))),
    text(7, metadata),
    text(8, JSON.stringify({ n })),
  );
  return field(1, field(1, recorded));
}

test("an event is read as it was sent, whatever it shares with the one before", () => {
  const json = ["content-type", "application/json"] as const;
  const properties = [
    [["type", "A"], json, ["created", "17000000000000000"]],
    [["type", "A"], json],
    [["type", "A"], json, ["created", "17000000000010000"]],
    [["type", "AB"], json, ["created", "17000000000000000"], ["type", "B"]],
    [["created", "17000000000000000"], json, ["type", "A"]],
  ] as const;
  const sent = fc.record({
    stream: fc.constantFrom("import-1", "import-12", "quote-1"),
    properties: fc.constantFrom<Sent["properties"]>(...properties),
    metadata: fc.constantFrom('{"organisation":"a","v":1}', '{"organisation":"ab","v":1}', "{}"),
    n: fc.nat(300),
  });
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 8 }), (events) => {
      const read = replyReader();
      for (const event of events) {
        const found = Object.fromEntries(event.properties);
        const created = found["created"];
        expect(read(reply(event))).toMatchObject({
          kind: "event",
          event: {
            stream: event.stream,
            type: found["type"],
            revision: BigInt(event.n),
            metadata: JSON.parse(event.metadata),
            data: { n: event.n },
          },
        });
        const { event: got } = read(reply(event)) as { event: { recordedAt: Date } };
        expect(got.recordedAt).toEqual(new Date(created === undefined ? 0 : Number(created) / 10_000));
      }
    }),
  );
});
