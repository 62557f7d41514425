import { expect } from "vitest";
import { Rejection } from "../../src/domain/rejection.js";

interface Decider<Command, Event, State> {
  readonly initial: () => State;
  readonly evolve: (state: State, event: Event, revision: bigint, position: bigint) => State;
  readonly decide: (command: Command, state: State) => Event[];
}

/** The commit position of a given event: there is room for events of other streams between two of them. */
const positionOf = (index: number): bigint => BigInt(index + 1) * 10n;

/** Tests a decider without a store: given these events, when this command comes, it decides these events or is rejected. */
export function givenWhenThen<Command, Event, State>({ initial, evolve, decide }: Decider<Command, Event, State>) {
  return (...events: Event[]) => ({
    when(command: Command) {
      const decided = () =>
        decide(
          command,
          events.reduce((state, event, index) => evolve(state, event, BigInt(index), positionOf(index)), initial()),
        );
      return {
        decides: (...expected: Event[]) => expect(decided()).toEqual(expected),
        decidesNothing: () => expect(decided()).toEqual([]),
        isRejected: (code: Rejection["code"], words: string | RegExp) => {
          expect(decided).toThrow(Rejection);
          expect(decided).toThrow(words);
          expect(decided).toThrow(expect.objectContaining({ code }));
        },
        /** For a command that only an error of the service can send. */
        throws: (words: string) => expect(decided).toThrow(words),
      };
    },
  });
}
