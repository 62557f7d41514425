// What a reader of the API reference needs beside the single operations. Markdown; each part is one entry of the reference's navigation.
import { existsSync, readFileSync } from "node:fs";

/** docs/guide.md, of which a build has a copy beside the reference's files. */
const copied = new URL("../reference/guide.md", import.meta.url);

export const guideText = (): string =>
  readFileSync(existsSync(copied) ? copied : new URL("../../../../docs/guide.md", import.meta.url), "utf8");

const wholeGuide = guideText();

/** A passage that the reference has too, between `<!-- reference: NAME -->` and `<!-- end -->`, in one line. */
function fromGuide(name: string): string {
  const passage = wholeGuide.split(`<!-- reference: ${name} -->\n`)[1]?.split("\n<!-- end -->")[0];
  if (passage === undefined) throw new Error(`docs/guide.md has no passage "${name}"`);
  return passage.replaceAll("\n", " ");
}

export const guideParts: Readonly<Record<string, string>> = {
  "Getting started": `
An organisation prices freight, imports shipments and imports warehouse activities here, for its customers.

1. Get a key: in the portal under **Settings, API Keys**, or by \`waybill keys create --org ID --name NAME\`. It is shown once and begins with \`wb_live_\`. A key can be limited to some scopes: each operation says which one it needs, and answers 403 without it.
2. Send it with every request as the header \`x-api-key\`.
3. \`GET /v1/org/quotes\` answers 200 when it works.
4. \`/docs/guide\` goes on from there to a nightly import with corrections and webhooks, command by command.

A key belongs to one organisation. What other organisations have does not exist for it: their ids are answered 404, like ids that were never given.`,

  "Environments and base address": `
Every installation is one environment with its own address, keys and data; there is no test mode in a live one. All paths are relative to the address of
the service, which may end in a path. A service that was started with \`npm start\` listens on \`http://127.0.0.1:3000\` and has the organisation \`demo\`,
against which every example in this document can be sent as it is; ids in a path are those that an answer has named before (Try it, in the reference, fills them in).`,

  Versioning: `
The version is part of the path: \`/v1\`. Within it requests stay valid and answers only gain: a new field in an answer, a new operation, a new optional
field in a request, a new reason of rejection. So ignore fields that you do not know. A change that could break a client gets a new version beside
the old one. Operations and fields marked \`x-extension\` are this service's own.`,

  "Times, money and numbers": `
- Times in answers are ISO 8601 in UTC. Times in requests may carry any zone; without one they are wall time in the organisation's time zone.
  In \`from\` and \`to\` of a list a day such as \`2026-03-31\` is the whole day.
- Money is in the organisation's currency, as a JSON number with at most two decimals. Prices are computed in exact decimal arithmetic and rounded half up to the
  cent at each step: freight, each surcharge, GST, total.
- Postcodes and ids are texts: zeros in front count.
- Numbers may have 15 digits before the decimal point, and may not be closer to 0 than 0.000000001. They are JSON numbers: 15 digits in all are kept exactly,
  those past them are rounded, in a file as in JSON. Sums are exact decimals of what is kept.
- Times of rows lie in the years 1900 to 9999.`,

  "The states of an import": `
A push is answered \`202\` as soon as it is stored safely. Imports of an organisation run one at a time, in the order they were pushed.

| status | what may be relied on |
|---|---|
| \`queued\` | It will run, also if every process is restarted. Nothing is written yet. |
| \`processing\` | \`progress\` and \`counts.processed\` grow. Of a fulfilment import \`counts.failed\` reads 0 until the end. |
| \`completed\` | Every valid row is in the ledger, every other one in the list of rejected rows. Rejected rows are normal, and hold back no other row. |
| \`failed\` | It could not run: \`errorMessage\` says why. Nothing was written. |
| \`cancelled\` | It was stopped. Nothing was written. |

The last three are final. Ask about every 30 seconds, or let a webhook tell you.

${fromGuide("The same file")}`,

  "Rejected rows": `
A row that cannot be accepted is listed with its number, its values and all of its reasons, joined by \`; \`. A shipment is accepted or rejected whole:
lines that are well themselves are listed as \`Rejected with its shipment: <reason>\`.

| reason | what to do |
|---|---|
| \`No Shipment ID found\` | Give the row a shipmentId. |
| \`Origin Zone(s) not found\`, \`Destination Zone(s) not found\` | The postcode, suburb, state and country name no place that is known; correct them. |
| \`Missing mandatory custom field(s): <names>\` | A carrier of the customer needs them; give them values. |
| \`Customer not found\` | The customerId is none of the organisation's. |
| \`<Column> is required\` | Give the row a value there. |
| \`Valid <column> is required\` | Not a number, one that is too large or too close to 0, 0 where that is not possible, or not a time in ISO 8601 from 1900 on. |
| \`Already corrected by import <id>\` | Another correction was faster; nothing is to be done. |
| \`The row that it corrects is reversed\`, \`The import whose row it corrects is reversed\` | A reversal was faster; push the row anew if it is to count. |`,

  Corrections: `
${fromGuide("Corrections")} (\`POST .../corrections\`, for completed imports.) A row is \`open\`, \`submitted\` (its correction is under way), \`corrected\`, \`dismissed\`,
\`superseded\` (a later import, or a later element of its own push, has written its shipment), or \`withdrawn\` (its import is reversed as a whole). Only open rows can be
corrected; the answer for others is 409. If the correction fails or is cancelled, or its rows are reversed, the rows that it corrected are open again. The
portal and a corrected error report that is uploaded there do the same.

Accepted activities are corrected by the same call, with a \`reason\`. The old row stops counting in the same moment in which the new one starts to. If the new
row is rejected, or its import fails or is cancelled, the old one goes on counting; reverse the new row and the old one counts again. A shipment that was accepted
is corrected by pushing it again.`,

  Reversals: `
What a completed import wrote can be taken back (\`POST .../reversals\`): all of it, some activities by their rows, or some shipments, always with a \`reason\`.
${fromGuide("Reversals")}

A reversed activity counts in no total. Of a shipment the ledger then shows the version pushed last among those that are not reversed. Rejected rows that a reversed
correction had corrected are open again; those of an import that is reversed as a whole are withdrawn. The
totals can be read \`asOf\` an earlier time, and \`totals/changes\` lists what has changed them since.`,

  "Idempotency and retrying": `
- Shipments are matched by their id: sending them again replaces them by themselves. ${fromGuide("Sending again")} With another body it is a 422.
- 503 on a push means that the outcome is not known, or that nothing was taken: repeat it with the same key after \`Retry-After\`. The same goes for a
  connection that broke. 408 means that it did not arrive; repeat it.
- 429 and 503 carry \`Retry-After\` in seconds. 500 is a fault of the service: retry a read later, and report it with its \`x-request-id\`.
- Every other 4xx stays as it is until the request is changed. 405 is answered for a method that a path does not have, 417 for an \`Expect\` that is not
  \`100-continue\`, 431 for headers of more than 16 KiB.`,

  "Errors in requests": `
Every error is JSON with \`message\`. A 400 for the body, the query or the headers has a list of messages, each beginning with the place
(\`shipments.0.items must contain at least 1 element\`); a 400 for a file, or because too many imports are queued, has one text. Fields that are not known are an error,
not ignored; an optional field is left out, not null (in C# set \`DefaultIgnoreCondition\` to \`WhenWritingNull\`). JSON bodies may have 32 MiB, quote requests 2 MiB, files 50 MB.`,

  Paging: `
Lists answer \`items\` and \`nextCursor\`. Send the cursor back as it is, with the same other parameters; null says that it was the last page. A page holds 100
items, or \`limit\` (1 to 500). What is added while you page does not move what you have seen.`,

  "Rate limit": `
Each key has a number of requests per minute (600 unless the operator has set another). \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` are on every
answer; beyond it 429 says when to come back. An organisation may have 20 imports waiting or running; a push beyond that is a 400 that says so, and succeeds once
one has ended.`,

  Webhooks: `
An endpoint of yours can be told when an import starts, completes, fails or is cancelled: add it in the portal under **Settings, Webhooks**, or by
\`waybill webhooks add\`. Messages are signed after [Standard Webhooks](https://www.standardwebhooks.com), are sent at least once, and in order for each import;
\`webhook-id\` is the same at every attempt. Answer 2xx within 15 seconds.`,
};

export const guide = Object.entries(guideParts)
  .map(([title, text]) => `# ${title}\n${text}\n`)
  .join("\n");

export const tagDescriptions: Readonly<Record<string, string>> = {
  Quotes: "Prices for a consignment, for one or several customers, and fetching them again.",
  "Shipment imports": "Shipments into the shipment ledger, as JSON or as a file. A shipment that is there already is replaced.",
  "Fulfilment imports": "Billable warehouse activities into the activity ledger, as JSON or as a file. Every push appends.",
  Ledgers: "What has been imported.",
  Log: "What people, keys and the command line did.",
  Webhooks: "What an endpoint of yours is sent.",
};
