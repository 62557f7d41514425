// src/commands/members: people, their passwords, links and sessions. Every change to the members of an organisation is decided while
// one lock on that organisation is held (changeMember.ts), and written to the table before the lock is given back.
import type { Pool, PoolClient } from "pg";
import type { EventStore } from "../../ports/eventStore.js";
import type { Passwords } from "../../ports/people.js";

export interface MemberDeps {
  readonly events: EventStore;
  readonly pool: Pool;
  readonly inTransaction: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>;
  /** Brings the member's row up to its stream. */
  readonly project: (client: PoolClient, memberId: string) => Promise<void>;
  readonly passwords: Passwords;
  /** The database's clock. */
  readonly now: () => Promise<Date>;
  readonly newId: () => string;
}
