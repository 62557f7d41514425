/** Registers something that is being started, with how it is closed, and returns it. */
export type Own = <Thing>(started: Thing | Promise<Thing>, close: (thing: Thing) => unknown) => Promise<Thing>;

/**
 * Starts several things that belong together. `close` closes them one after the other, the last first. Where a start fails, everything
 * that was started before it, or is still starting, is closed at once: no `afterAll` of the test file knows of it.
 */
export async function starting<Started extends object>(
  start: (own: Own) => Promise<Started>,
): Promise<Started & { close(): Promise<void> }> {
  const closings: (() => Promise<unknown>)[] = [];
  const own: Own = async (started, close) => {
    const settled = Promise.resolve(started).then(
      (thing) => () => close(thing),
      () => () => undefined, // it closes itself where it does not start
    );
    closings.unshift(async () => (await settled)());
    return started;
  };
  const close = async () => {
    for (const closing of closings.splice(0)) await closing();
  };
  try {
    return Object.assign(await start(own), { close });
  } catch (error) {
    await close();
    throw error;
  }
}
