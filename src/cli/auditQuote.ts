import type { Command } from "commander";
import { CommandFault, command, print, printJson } from "./outcome.js";
import { withStores } from "./withStores.js";

export function addAuditQuoteCommand(program: Command): void {
  const audit = program.commands.find((each) => each.name() === "audit") ?? program.command("audit").description("what happened, and why");
  audit
    .command("quote")
    .description("derive a quote again, step by step, from what was stored with it; exit code 1 when a cent differs")
    .argument("<quoteId>")
    .option("--json", "as JSON: the stored event with the verdict")
    .action(command(auditQuote));
}

async function auditQuote(quoteId: string, { json }: { json?: boolean }): Promise<void> {
  const [{ findQuote }, { explainStoredQuote }] = await Promise.all([
    import("../commands/quote.js"),
    import("../commands/explainQuote.js"),
  ]);
  const quote = await withStores(({ eventStore }) => findQuote({ events: eventStore }, quoteId));
  if (quote === undefined) throw new CommandFault(`There is no quote ${quoteId}.`);
  const { agrees, lines } = explainStoredQuote(quote);
  const { organisationId, customerId, at, catalogueVersion, keyPrefix } = quote;
  const heading = `quote ${quote.quoteId} for ${customerId} of ${organisationId}, priced ${at} by catalogue version ${catalogueVersion} for key ${keyPrefix}`;
  if (json) printJson({ agrees, quote });
  else print([heading, ...lines]);
  if (!agrees) throw new CommandFault("The quote does not come out again as it was answered.");
}
