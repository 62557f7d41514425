import type { Command } from "commander";
import { schemaStatements } from "../main/tables.js";
import { allProjections } from "../projections/allProjections.js";
import type { Projection } from "../projections/projection.js";
import { type RebuildResult, rebuild } from "../projections/rebuild/rebuild.js";
import { projectionLags } from "../projections/running/projectionLag.js";
import { CommandFault, command, print, printJson, printList, tableLines } from "./outcome.js";
import { showProgress } from "./progress.js";
import { withStores } from "./withStores.js";

export function addCommands(projections: Command): void {
  projections
    .command("status")
    .description("where each projection stands, and how far it is behind in events and seconds")
    .option("--json", "as JSON")
    .action(command(status));
  projections
    .command("rebuild")
    .description(
      "build one projection, or all, again beside the live tables, compare both, then swap them in one transaction; the service keeps running",
    )
    .argument("[name]", `${allProjections.map((each) => each.name).join(", ")}; all when omitted`)
    .option("--json", "as JSON")
    .action(command(rebuildProjections));
}

async function status({ json }: { json?: boolean }): Promise<void> {
  const lags = await withStores(projectionLags);
  const shown = lags.map((each) => ({ ...each, position: each.position ? String(each.position.commit) : null }));
  const header = ["PROJECTION", "POSITION", "EVENTS BEHIND", "SECONDS BEHIND"];
  printList(shown, json, header, ({ projection, position, events, seconds }) => [projection, position, events, seconds]);
}

async function rebuildProjections(name: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const startedAt = performance.now();
  const chosen = chooseProjections(name);
  const rebuilt = await withStores(async ({ pool, eventStore, logger, signal }) => {
    const progress = showProgress("rebuild");
    const stores = { pool, eventStore, logger, signal };
    return rebuild({ ...stores, migrations: schemaStatements(), projections: chosen, onProgress: progress.update })
      .finally(progress.stop)
      .catch((error: unknown): never => {
        // The rebuild stops checking the signal before it commits the swap, so this error means that nothing was changed.
        if (error !== signal.reason) throw error;
        throw new CommandFault("The rebuild was stopped. The live tables are unchanged; run it again when it suits");
      });
  });
  if (json) printJson(rebuildJson(rebuilt));
  else print(rebuildLines(rebuilt, (performance.now() - startedAt) / 1000));
}

function chooseProjections(name: string | undefined): readonly Projection[] {
  if (name === undefined) return allProjections;
  const chosen = allProjections.filter((projection) => projection.name === name);
  const names = allProjections.map((each) => each.name).join(", ");
  if (chosen.length === 0) throw new CommandFault(`There is no projection ${name}. There are: ${names}`);
  return chosen;
}

const verdictOf = ({ live, rebuilt }: RebuildResult["comparisons"][number]): string => {
  if (!live) return "nothing to compare with";
  return live.digest === rebuilt.digest && live.rows === rebuilt.rows ? "identical" : `was different (${live.rows} rows, ${live.digest})`;
};

function rebuildLines({ events, comparisons }: RebuildResult, seconds: number): string[] {
  const rows = comparisons.map((each) => [each.projection, String(each.rebuilt.rows), each.rebuilt.digest, verdictOf(each)]);
  return [
    ...tableLines(["PROJECTION", "ROWS", "DIGEST", "LIVE TABLES"], rows),
    `rebuilt from ${events} events in ${seconds.toFixed(1)} s and swapped in`,
  ];
}

function rebuildJson({ events, position, comparisons }: RebuildResult) {
  return { events, position: String(position.commit), projections: comparisons.map((each) => ({ ...each, verdict: verdictOf(each) })) };
}
