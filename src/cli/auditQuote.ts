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
  const [{ namesOf }, { findQuote }, { explainStoredQuote }] = await Promise.all([
    import("../audit/names.js"),
    import("../commands/quote.js"),
    import("../commands/explainQuote.js"),
  ]);
  const { quote, nameOf } = await withStores(async ({ eventStore }) => {
    const found = await findQuote({ events: eventStore }, quoteId);
    if (found === undefined) throw new CommandFault(`There is no quote ${quoteId}.`);
    return { quote: found, nameOf: await namesOf(eventStore, found.organisationId) };
  });
  const { agrees, lines } = explainStoredQuote(quote);
  const { organisationId, customerId, at, catalogueVersion, by } = quote;
  const heading = `quote ${quote.quoteId} for ${customerId} of ${organisationId}, priced ${at} by catalogue version ${catalogueVersion} for ${nameOf(by)}`;
  if (json) printJson({ agrees, quote });
  else print([heading, ...lines]);
  if (!agrees) throw new CommandFault("The quote does not come out again as it was answered.");
}
