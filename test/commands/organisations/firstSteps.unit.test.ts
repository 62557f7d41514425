import { test } from "vitest";
import { decide, firstStepsAggregate } from "../../../src/commands/organisations/firstSteps.js";
import { givenWhenThen } from "../givenWhenThen.js";

const given = givenWhenThen({ ...firstStepsAggregate, decide });
const command = { by: { kind: "member" as const, id: "ada" }, now: new Date("2026-05-03T00:00:00Z") };
const putAway = { type: "FirstStepsPutAway" as const, data: { by: command.by, at: command.now.toISOString() } };

test("the first steps are put away once", () => {
  given().when(command).decides(putAway);
  given(putAway).when(command).decidesNothing();
});
