/** This worker's lease has ended. Another worker may have the turn, so this one must not append any more. */
export class TurnLost extends Error {
  override readonly name = "TurnLost";
}

/** A cancel command has marked the import to be cancelled. */
export class CancelAsked extends Error {
  override readonly name = "CancelAsked";
}

/** The worker is shutting down. Another worker, or this one after its restart, goes on with the import. */
export class WorkerStopping extends Error {
  override readonly name = "WorkerStopping";
}

/** The log has an older unfinished push of the same organisation, which has to run first. */
export class OlderPushFirst extends Error {
  override readonly name = "OlderPushFirst";
}

/** This process is already running as many bytes or files as it may. The import is tried again shortly, here or in another worker. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}
