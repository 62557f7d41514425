#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { addAuditCommands } from "./cli/audit/audit.js";
import { addImportCommands } from "./cli/imports.js";
import { addKeyCommands } from "./cli/keys.js";
import { addLocalityCommands } from "./cli/localities.js";
import { addMemberCommands } from "./cli/members.js";
import { addOrganisationCommands } from "./cli/organisations.js";
import { visible, watchOutput } from "./cli/outcome.js";
import { addProjectionCommands } from "./cli/projections.js";
import { addRoleCommands } from "./cli/roles.js";
import { addWebhookCommands } from "./cli/webhooks.js";

const program = new Command("waybill")
  .exitOverride() // so that after help, too, the process waits until the output is written
  .description("Freight quotes, shipment imports and fulfilment activity imports, event-sourced.")
  .configureOutput({
    outputError: (fault, write) => write(`${visible(fault.trimEnd().replaceAll("\n", " "))} (add --help for what there is)\n`),
  })
  .addHelpText(
    "after",
    "\nResults go to stdout, logs to stderr. Configuration comes from the environment; docs/operations.md lists the variables.",
  );
addRoleCommands(program);
addOrganisationCommands(program);
addKeyCommands(program);
addWebhookCommands(program);
addMemberCommands(program);
addImportCommands(program);
addProjectionCommands(program);
addLocalityCommands(program);
addAuditCommands(program);
watchOutput();
await program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode ||= error.exitCode;
});
