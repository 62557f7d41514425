import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessage, MalformedMessage, type WireField } from "../../../src/adapters/eventStore/protocol/protobuf.js";
import { replyReader } from "../../../src/adapters/eventStore/protocol/readReply.js";

interface Sent {
  readonly stream: string;
  readonly properties: readonly (readonly [string, string])[];
  readonly metadata: string | undefined;
  readonly n: number;
  /** EventStoreDB writes fields in the order of their numbers; the embedded node writes the stream right before the properties. */
  readonly streamLate?: boolean;
}

function reply({ stream, properties, metadata, n, streamLate = false }: Sent): Buffer {
  const property = ([key, value]: readonly [string, string]): WireField => [
    6,
    [
      [1, key],
      [2, value],
    ],
  ];
  const streamField: WireField = [2, [[3, stream]]];
  const recorded: WireField[] = [
    [1, [[2, "00000000-0000-4000-8000-000000000001"]]],
    ...(streamLate ? [] : [streamField]),
    [3, n],
    [4, n],
    [5, n],
    ...(streamLate ? [streamField] : []),
    ...properties.map(property),
    ...(metadata === undefined ? [] : [[7, metadata] as const]),
    [8, JSON.stringify({ n })],
  ];
  return encodeMessage([[1, [[1, recorded]]]]);
}

const none = { organisation: "", actor: "", $correlationId: "", v: 0 };

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
    metadata: fc.constantFrom('{"organisation":"a","v":1}', '{"organisation":"ab","v":1}', "{}", undefined),
    n: fc.nat(300),
    streamLate: fc.boolean(),
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
            metadata: event.metadata === undefined ? none : JSON.parse(event.metadata),
            data: { n: event.n },
          },
        });
        const { event: got } = read(reply(event)) as { event: { recordedAt: Date } };
        expect(got.recordedAt).toEqual(new Date(created === undefined ? 0 : Number(created) / 10_000));
      }
    }),
  );
});

test("an event that is cut anywhere is refused, whatever the bytes behind it are", () => {
  const json = ["content-type", "application/json"] as const;
  const whole = reply({ stream: "import-1", properties: [["type", "A"], json], metadata: '{"v":1}', n: 7 });
  const before = Buffer.from("before it");
  const bytes = Buffer.concat([before, whole, whole]);
  const read = replyReader();
  for (let length = 1; length < whole.length; length++) {
    expect(() => read(bytes, before.length, before.length + length)).toThrow(MalformedMessage);
  }
  expect(read(bytes, before.length, before.length + whole.length)).toMatchObject({ event: { revision: 7n, data: { n: 7 } } });
});
