// Server-sent events, while the page is visible. A lost connection is opened again, after longer and longer pauses.
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

interface Following {
  /** The address names what the page shows now, so that the server knows what the page has missed. */
  readonly address: () => string;
  readonly onMessage: (data: string) => void;
  /** Called with true when a connection could not be opened again at once, and with false when it is open. */
  readonly onLost?: (isLost: boolean) => void;
}

export function follow({ address, onMessage, onLost = () => undefined }: Following): void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let retryMs = firstRetryMs;
  const disconnect = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const connect = () => {
    // A hidden page needs no connection, and browsers have few of them for one host.
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
      retryMs = Math.min(retryMs * 2, longestRetryMs);
    });
  };
  connect();
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", connect);
}
