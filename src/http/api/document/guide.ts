// What the API reference says besides its operations, in Markdown. Each of `guideParts` is one entry of the reference's navigation.
import { existsSync, readFileSync } from "node:fs";

/** A build's copy of docs/guide.md. */
const builtUserGuide = new URL("../reference/guide.md", import.meta.url);

export const readUserGuide = (): string =>
  readFileSync(existsSync(builtUserGuide) ? builtUserGuide : new URL("../../../../docs/guide.md", import.meta.url), "utf8");

const userGuide = readUserGuide();

/** The passage of docs/guide.md between `<!-- reference: NAME -->` and `<!-- end -->`, as one line. */
function userGuidePassage(name: string): string {
  const passage = userGuide.split(`<!-- reference: ${name} -->\n`)[1]?.split("\n<!-- end -->")[0];
  if (passage === undefined) throw new Error(`docs/guide.md has no passage "${name}"`);
  return passage.replaceAll("\n", " ");
}

export const guideParts: Readonly<Record<string, string>> = {
  "Getting started": `
With this API an organisation prices freight, and imports shipments and warehouse activities, for its customers.

1. Create a key, in the portal under **Settings, API Keys** or with \`waybill keys create --org ID --name NAME\`. It begins with \`wb_live_\` and is shown only once. A key may have only some scopes; each operation names the scope that it needs, and answers 403 without it.
2. Send the key with every request, in the header \`x-api-key\`.
3. Test it with \`GET /v1/org/quotes\`, which answers 200 to a key with the scope \`read\`.
4. Continue at \`/docs/guide\`, which leads to a nightly import with corrections and webhooks, command by command.

A key belongs to one organisation. Ids of other organisations are answered 404, like ids that do not exist.`,

  "Environments and base address": `
Each installation is one environment, with its own address, keys and data. There is no test mode. All paths are relative to the address of the service, which may itself end in a path. \`npm start\` listens
on \`http://127.0.0.1:3000\` and creates the organisation \`demo\`. Every example in this document works there unchanged, except for ids in paths: take those from earlier answers. (Try it, in the reference, fills them in.)`,

  Versioning: `
The version is part of the path: \`/v1\`. Within a version, valid requests stay valid, and answers may gain fields. Operations, optional request fields and reasons for rejection may be added. Ignore fields that you do not know. A
change that could break a client becomes a new version beside the old one. Operations and fields marked \`x-extension\` are not part of the published contract.`,

  "Times, money and numbers": `
- Times in answers are ISO 8601 in UTC. Times in requests may have any zone. Without one they are in the organisation's time zone. In \`from\` and \`to\` of a list, a day such as \`2026-03-31\` means the whole day.
- Money is a JSON number with at most two decimals, in the organisation's currency. Prices are computed in exact decimals and rounded half up to the cent at each step: freight, each surcharge, GST, total.
- Postcodes and ids are strings. Leading zeros matter.
- Numbers have at most 15 digits before the decimal point, and are 0 or at least 0.000000001 away from it. They are stored as JSON numbers, so 15 digits are exact and further ones are rounded. Sums of stored numbers are exact.
- Times in rows are in the years 1900 to 9999.`,

  "The states of an import": `
A push is answered \`202\` as soon as it is stored safely. An organisation's imports run one at a time, in the order of the pushes.

| status | meaning |
|---|---|
| \`queued\` | It will run, even if every process is restarted. Nothing is written yet. |
| \`processing\` | \`progress\` and \`counts.processed\` grow. In a fulfilment import \`counts.failed\` is 0 until the end. |
| \`completed\` | Every valid row is in the ledger, and every other row is in the list of rejected rows. Rejected rows are normal, and do not hold back other rows. |
| \`failed\` | The import could not run; \`errorMessage\` says why. Nothing was written. |
| \`cancelled\` | The import was stopped. Nothing was written. |

The last three are final. Ask about every 30 seconds, or use a webhook.

${userGuidePassage("The same file")}`,

  "Rejected rows": `
A rejected row is listed with its number, its values and all of its reasons, joined by \`; \`. A shipment is accepted or rejected whole. Its other lines are listed as \`Rejected with its shipment: <reason>\`.

| reason | what to do |
|---|---|
| \`No Shipment ID found\` | Give the row a shipmentId. |
| \`Origin Zone(s) not found\`, \`Destination Zone(s) not found\` | Correct the postcode, suburb, state or country. Together they are not a known place in one of the organisation's zones. |
| \`Missing mandatory custom field(s): <names>\` | Give these fields values. One of the customer's carriers requires them. |
| \`Customer not found\` | Use the customerId of one of the organisation's customers. |
| \`<Column> is required\` | Give the row a value in this column. |
| \`Valid <column> is required\` | Write a number within the limits (0 is not always allowed), or a time in ISO 8601 from 1900 on. |
| \`Already corrected by import <id>\` | Nothing. Another correction came first. |
| \`The row that it corrects is reversed\`, \`The import whose row it corrects is reversed\` | A reversal came first. Push the row again if it is still needed. |`,

  Corrections: `
${userGuidePassage("Corrections")} Use \`POST .../corrections\` of a completed import. Each rejected row has a \`state\`:

| state | meaning |
|---|---|
| \`open\` | It can be corrected. All other states are answered 409. |
| \`submitted\` | A correction of it is queued or running. |
| \`corrected\` | A correction was accepted. |
| \`dismissed\` | Somebody decided that it needs no correction. |
| \`superseded\` | A later push, or a later element of the same push, wrote its shipment. |
| \`withdrawn\` | Its whole import was reversed. |

If the correcting import fails, is cancelled or is reversed, the rows are open again. The portal has the same corrections, and accepts a corrected error report as a file.

Accepted activities are corrected by the same call, with a \`reason\`. The old row counts until the new import completes; in that moment the new row replaces it in the totals. If the new row is rejected, or its import fails or is cancelled, the old row goes on counting. If the new row is reversed, the old one counts again. To correct an
accepted shipment, push it again.`,

  Reversals: `
\`POST .../reversals\` takes back what a completed import wrote, always with a \`reason\`.
${userGuidePassage("Reversals")}

A reversed activity counts in no total. For a shipment, the ledger then shows the latest version that is not reversed. The totals can be read \`asOf\` an earlier time, and \`totals/changes\` lists what has changed them since.`,

  "Idempotency and retrying": `
- Shipments are matched by their id, so pushing one again replaces it. ${userGuidePassage("Sending again")} The same key with other content is a 422.
- After a 503 or a broken connection, the outcome of a push with an \`Idempotency-Key\` is unknown; one without it that was answered 503 is not billed. Repeat it with the same key, after \`Retry-After\` seconds if that header is there. After a 408 the body did not arrive completely; repeat it.
- 429 and 503 have \`Retry-After\` in seconds. A 500 is a fault of the service: repeat a read later, and report the \`x-request-id\`.
- Any other 4xx needs a changed request. 405 means that the path does not have the method, 417 that \`Expect\` is not \`100-continue\`, and 431 that the headers have more than 16 KiB.`,

  "Errors in requests": `
Every error is JSON with a \`message\`. A 400 for the body, the query or the headers has a list of messages, each beginning with the place (\`shipments.0.items must contain at least 1 element\`). A 400 for a file, or for a full queue, has
one text. Unknown fields are errors. Leave an optional field out instead of sending null (in C#, set \`DefaultIgnoreCondition\` to \`WhenWritingNull\`). A JSON body may have 32 MiB, a quote request 2 MiB, and a file 50 MB.`,

  Paging: `
A list has \`items\` and \`nextCursor\`. For the next page, send the cursor back with the same other parameters. On the last page it is null. A page has 100 items, or \`limit\` (1 to 500). Items that are added meanwhile do not shift later pages.`,

  "Rate limit": `
Each key may send a number of requests per minute, 600 unless the operator has changed it. Answers of operations to a valid key have \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. A 429 says when to continue. An organisation may have 20 imports queued or running, unless the operator has changed that too; a further push is a 400 until one of them ends.`,

  Webhooks: `
The service can post to an endpoint of yours when an import starts, completes, fails, is cancelled or is reversed. Add the endpoint in the portal under **Settings, Webhooks** or with \`waybill webhooks add\`. Webhooks are signed as
[Standard Webhooks](https://www.standardwebhooks.com), delivered at least once, and in order within an import. \`webhook-id\` is the same at every attempt. Answer 2xx within 15 seconds.`,
};

export const apiGuide = Object.entries(guideParts)
  .map(([title, text]) => `# ${title}\n${text}\n`)
  .join("\n");

export const tagDescriptions: Readonly<Record<string, string>> = {
  Quotes: "Generate quotes for one or several customers, and fetch them again.",
  "Shipment imports": "Import shipments into the shipment ledger, as JSON or as a file. A shipment that is already there is replaced.",
  "Fulfilment imports": "Import billable warehouse activities into the activity ledger, as JSON or as a file. Every push adds activities.",
  Ledgers: "What has been imported.",
  Log: "What people, keys and the command line did.",
  Webhooks: "What the service sends to your endpoints.",
};
