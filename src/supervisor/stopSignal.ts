/** Aborts on SIGTERM, on Ctrl-C, and when the process that started us is gone. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort();
  process.on("SIGTERM", abort).on("SIGINT", abort).on("SIGHUP", abort);
  if (process.channel) process.once("disconnect", abort);
  return stop.signal;
}
