const STEP_MS = 5;

/** Waits until the condition holds, and fails after the deadline with what it was waiting for. On a busy machine it comes late, or never. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  waitingFor = "a condition",
  deadlineMs = 90_000,
): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${deadlineMs} ms for ${waitingFor}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
