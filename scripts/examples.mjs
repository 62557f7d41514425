// Runs the product in a folder of its own, does what the documents describe, and writes the real output into them.
// Everything between `<!-- example NAME -->` and `<!-- end -->` is replaced. Usage: npm run examples
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "dist", "cli.js");
const documents = ["docs/audit.md", "docs/operations.md"].map((name) => join(root, name));

const header = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";
const monday = [
  header,
  "SO-1001,2000,Sydney,3000,Melbourne,Carton,4",
  "SO-1001,2000,Sydney,3000,Melbourne,Pallet,1",
  "SO-1002,2000,Sydney,9999,Nowhere,Carton,1",
  ",2000,Sydney,3000,Melbourne,Carton,1",
];
const tuesday = [header, "SO-1001,2000,Sydney,3000,Melbourne,Carton,5"];

const dataDir = await mkdtemp(join(tmpdir(), "waybill-examples-"));
const port = await freePort();
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "error" };
const product = spawn(process.execPath, [cli, "start"], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
try {
  const key = await demoKey(product);
  const first = await importFile(key, "monday.csv", monday);
  await importFile(key, "tuesday.csv", tuesday);
  await writeExamples({
    "audit import": await run("audit", "import", first),
    "audit shipment": await run("audit", "shipment", "SO-1001", "--org", "demo"),
    "audit verify": await run("audit", "verify"),
    "projections status": await run("projections", "status"),
    "projections rebuild": await run("projections", "rebuild"),
  });
} finally {
  const gone = once(product, "exit");
  product.kill("SIGTERM");
  await gone;
  await rm(dataDir, { recursive: true, force: true });
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: free } = server.address();
  server.close();
  return free;
}

async function demoKey({ stdout }) {
  let said = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    said += chunk;
    const key = /wb_live_\w{36}/.exec(said);
    if (key && said.includes("ready at")) return key[0];
  }
  throw new Error(`the product did not start: ${said}`);
}

async function importFile(key, name, lines) {
  const base = `http://127.0.0.1:${port}`;
  const form = new FormData();
  form.append("file", new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }), name);
  const headers = { "x-api-key": key };
  const pushed = await (await fetch(`${base}/v1/org/shipments/imports/file`, { method: "POST", headers, body: form })).json();
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await new Promise((settle) => setTimeout(settle, 200))) {
    const { status } = await (await fetch(base + pushed.statusUrl, { headers })).json();
    if (status === "completed") return pushed.importId;
  }
  throw new Error(`${name} did not complete`);
}

async function run(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...args], { env: environment });
  return `$ npm run -s waybill -- ${args.join(" ")}\n${stdout.trimEnd()}`;
}

async function writeExamples(examples) {
  const missing = new Set(Object.keys(examples));
  for (const document of documents) {
    let text = await readFile(document, "utf8");
    for (const [name, output] of Object.entries(examples)) {
      const start = `<!-- example ${name} -->\n`;
      const from = text.indexOf(start);
      if (from < 0) continue;
      text = `${text.slice(0, from + start.length)}\`\`\`\n${output}\n\`\`\`\n${text.slice(text.indexOf("<!-- end -->", from))}`;
      missing.delete(name);
    }
    await writeFile(document, text);
  }
  if (missing.size > 0) throw new Error(`no document has a place for: ${[...missing].join(", ")}`);
}
