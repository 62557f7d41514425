/** The import itself cannot run, and trying again would not help. The message is the import's `errorMessage`. */
export class ImportFault extends Error {
  override readonly name = "ImportFault";
}

/** Not this worker's turn any more: somebody else goes on, and nothing may be written from here. */
export class TurnLost extends Error {
  override readonly name = "TurnLost";
}

/** Somebody asked for the import to be cancelled. */
export class CancelAsked extends Error {
  override readonly name = "CancelAsked";
}

/** The worker is to stop; the import goes on elsewhere, or after the restart. */
export class WorkerStopping extends Error {
  override readonly name = "WorkerStopping";
}

/** The log has an older push of the organisation, which comes first. */
export class OlderPushFirst extends Error {
  override readonly name = "OlderPushFirst";
}

/** This process has enough in hand; another one may have room, or this one in a moment. */
export class NoRoom extends Error {
  override readonly name = "NoRoom";
}
