// Rejected rows and their states. The rows of a failed or cancelled import stay: they say what was wrong with its file.
import { copyJson, copyRows, copyText } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { applyCorrections, correctionTables } from "./corrections.js";

const target = { table: "rejections", columns: 'import_position, "row", handle, error, lead, faults, element, data' };

export const rejections: Projection = {
  name: "rejections",
  tables: ["rejections", ...correctionTables],

  async apply(client, batch, options) {
    let lines = "";
    for (const { facts, rejectedRows } of batch.imports) {
      if (!facts) continue;
      for (const { row, shipmentId, reference, error, lead, faults, element, data } of rejectedRows) {
        const handle = facts.kind === "shipments" ? shipmentId : reference;
        const why = `${copyText(error)}\t${copyText(lead)}\t${faults ? copyJson(faults) : copyText(null)}\t${copyText(element)}`;
        lines += `${facts.position}\t${row}\t${copyText(handle)}\t${why}\t${copyJson(data)}\n`;
      }
    }
    await copyRows(client, target, lines, options);
    await applyCorrections(client, batch, options.skip);
  },
};
