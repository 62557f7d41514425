import type { Command } from "commander";
import { CommandFault, command, print, printJson } from "../outcome.js";
import { withStores } from "../withStores.js";

export function addAuditQuoteCommand(program: Command): void {
  const audit = program.commands.find((each) => each.name() === "audit") ?? program.command("audit").description("what happened, and why");
  audit
    .command("quote")
    .description("derive a quote again, step by step, from the catalogue of its day; exit code 1 when a cent differs")
    .argument("<quoteId>")
    .option("--json", "as JSON: what was recorded, each step as it comes out, and the differences")
    .action(command(auditQuote));
}

async function auditQuote(quoteId: string, { json }: { json?: boolean }): Promise<void> {
  const [{ namesOf }, { explainQuote, organisationOfQuote }, { quoteText }] = await Promise.all([
    import("../../audit/history/names.js"),
    import("../../queries/quotes/explainQuote.js"),
    import("./auditQuoteText.js"),
  ]);
  const { explained, nameOf } = await withStores(async (stores) => {
    const organisationId = await organisationOfQuote(quoteId, stores);
    const found = organisationId === undefined ? undefined : await explainQuote(organisationId, quoteId, stores);
    if (found === undefined) throw new CommandFault(`There is no quote ${quoteId}.`);
    return { explained: found, nameOf: await namesOf(stores.eventStore, found.organisationId, [found.by]) };
  });
  const { agrees } = explained.explanation;
  if (json) printJson({ agrees, ...explained });
  else print(quoteText(explained, nameOf));
  if (!agrees) throw new CommandFault("The quote does not come out again as it was recorded.");
}
