// The program of a process that checks one file. The process ends when it has sent its result, or when the API's process has ended.
import { localitiesFrom } from "../../adapters/localities/storedLocalities.js";
import { spreadsheets } from "../../adapters/spreadsheets/spreadsheets.js";
import { compileCatalogue } from "../../domain/catalogue/catalogue.js";
import type { OrganisationFile } from "../../domain/catalogue/schema.js";
import { createGeography } from "../../domain/geography/geography.js";
import type { CheckAnswers } from "../../judging/fileChecks.js";
import { ImportFault } from "../../judging/importFault.js";
import { runCheck } from "../../judging/runCheck.js";
import { lowerPriority } from "../lowerPriority.js";
import { type MessageFromCheck, type MessageToCheck, questions } from "./checkProcesses.js";

const progressIntervalMs = 200;

let onAnswer: (answer: unknown) => void = () => undefined;

/** Each function asks the API's process, which has the database, and resolves with the answer. Only one question is open at a time. */
const answers = Object.fromEntries(
  questions.map((name) => [
    name,
    async (...args: unknown[]) => {
      const answer = new Promise<unknown>((resolve) => {
        onAnswer = resolve;
      });
      await send({ question: name, args });
      return answer;
    },
  ]),
) as unknown as CheckAnswers;

lowerPriority();
process.on("disconnect", () => process.exit(0));
process.on("message", (message: MessageToCheck) => {
  if ("answer" in message) onAnswer(message.answer);
  else
    void check(message)
      .then(send)
      .then(() => process.disconnect());
});

async function check({ check, localities }: Extract<MessageToCheck, { check: unknown }>): Promise<MessageFromCheck> {
  const geography = createGeography(localitiesFrom(localities));
  let lastSentAt = 0;
  try {
    const watch = {
      progress: (share: number) => {
        if (performance.now() - lastSentAt < progressIntervalMs) return;
        lastSentAt = performance.now();
        void send({ progress: share });
      },
      answers,
    };
    const judging = (file: OrganisationFile) => ({ spreadsheets, catalogue: compileCatalogue(file), geography });
    return { result: await runCheck(spreadsheets, judging, check, watch) };
  } catch (error) {
    if (error instanceof ImportFault || spreadsheets.isFileFault(error)) return { fault: error.message };
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Resolves when the message has been sent to the API's process. */
function send(message: MessageFromCheck): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
  });
}
