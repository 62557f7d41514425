// Follows server-sent events while the page is visible. Opens a lost connection again, after longer and longer pauses.
const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

interface FollowOptions {
  /** Returns the address for the next connection, which may contain the version that the page shows now. */
  readonly address: () => string;
  readonly onMessage: (data: string) => void;
  /** Called with true when the first attempt to open a lost connection again has failed, and with false whenever a connection is opened. */
  readonly onLost?: (isLost: boolean) => void;
}

export function follow({ address, onMessage, onLost = () => undefined }: FollowOptions): void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let retryMs = firstRetryMs;
  const disconnect = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const connect = () => {
    // A hidden page needs no connection, and a browser allows only a few connections to one host.
    if (source || document.hidden) return;
    clearTimeout(retry);
    source = new EventSource(address());
    source.addEventListener("open", () => {
      retryMs = firstRetryMs;
      onLost(false);
    });
    source.addEventListener("message", ({ data }) => onMessage(String(data)));
    source.addEventListener("error", () => {
      disconnect();
      if (retryMs > firstRetryMs) onLost(true);
      retry = setTimeout(connect, retryMs * (0.5 + Math.random()));
      retryMs = Math.min(retryMs * 2, maxRetryMs);
    });
  };
  connect();
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", connect);
}
