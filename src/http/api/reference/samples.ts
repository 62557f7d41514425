// Code samples in four languages, which call an operation with the document's example.

export interface ApiCall {
  readonly method: string;
  /** With examples as the values of its parameters. */
  readonly url: string;
  readonly body?: unknown;
  readonly file?: { readonly name: string; readonly fields: Readonly<Record<string, string>> };
}

export const codeSamples = (call: ApiCall) => [
  { language: "curl", text: curl(call) },
  { language: "JavaScript", text: javaScript(call) },
  { language: "C#", text: cSharp(call) },
  { language: "Python", text: python(call) },
];

const prettyJson = (value: unknown) => JSON.stringify(value, null, 2);
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, body, file }: ApiCall): string {
  const lines = [`curl -s ${shellQuoted(url)}`, `-H "x-api-key: $WAYBILL_KEY"`];
  if (file) {
    lines.push(`-F ${shellQuoted(`file=@${file.name}`)}`);
    for (const [name, value] of Object.entries(file.fields)) lines.push(`-F ${shellQuoted(`${name}=${value}`)}`);
  } else if (body !== undefined) lines.push("-H 'content-type: application/json'", `-d ${shellQuoted(prettyJson(body))}`);
  else if (method !== "GET") lines.push(`-X ${method}`);
  return lines.join(" \\\n  ");
}

function javaScript({ method, url, body, file }: ApiCall): string {
  const key = '"x-api-key": process.env.WAYBILL_KEY';
  const lines: string[] = [];
  let init = `{ headers: { ${key} } }`;
  if (file) {
    lines.push('import { openAsBlob } from "node:fs";', "", "const form = new FormData();");
    lines.push(`form.append("file", await openAsBlob(${JSON.stringify(file.name)}), ${JSON.stringify(file.name)});`);
    for (const [name, value] of Object.entries(file.fields)) lines.push(`form.append(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
    init = `{ method: "POST", headers: { ${key} }, body: form }`;
  } else if (body !== undefined) {
    lines.push(`const body = ${prettyJson(body)};`);
    init = `{\n  method: "POST",\n  headers: { ${key}, "content-type": "application/json" },\n  body: JSON.stringify(body),\n}`;
  } else if (method !== "GET") init = `{ method: ${JSON.stringify(method)}, headers: { ${key} } }`;
  lines.push(`const response = await fetch(${JSON.stringify(url)}, ${init});`, "console.log(response.status, await response.json());");
  return lines.join("\n");
}

function cSharp({ method, url, body, file }: ApiCall): string {
  const lines = [
    "using var http = new HttpClient();",
    'http.DefaultRequestHeaders.Add("x-api-key", Environment.GetEnvironmentVariable("WAYBILL_KEY"));',
  ];
  if (file) {
    lines.push("using var form = new MultipartFormDataContent();");
    const name = JSON.stringify(file.name);
    lines.push(`form.Add(new StreamContent(File.OpenRead(${name})), "file", ${name});`);
    for (const [field, value] of Object.entries(file.fields)) {
      lines.push(`form.Add(new StringContent(${JSON.stringify(value)}), ${JSON.stringify(field)});`);
    }
    lines.push(`var response = await http.PostAsync(${JSON.stringify(url)}, form);`);
  } else if (body !== undefined) {
    lines.push(`var body = new StringContent("""\n${prettyJson(body)}\n""", System.Text.Encoding.UTF8, "application/json");`);
    lines.push(`var response = await http.PostAsync(${JSON.stringify(url)}, body);`);
  } else {
    lines.push(
      method === "GET"
        ? `var response = await http.GetAsync(${JSON.stringify(url)});`
        : `var response = await http.PostAsync(${JSON.stringify(url)}, null);`,
    );
  }
  lines.push("Console.WriteLine((int)response.StatusCode);", "Console.WriteLine(await response.Content.ReadAsStringAsync());");
  return lines.join("\n");
}

function python({ method, url, body, file }: ApiCall): string {
  const lines = ["import os, requests", "", 'headers = {"x-api-key": os.environ["WAYBILL_KEY"]}'];
  const callLine = (more: string) => `response = requests.${method.toLowerCase()}(${JSON.stringify(url)}, headers=headers${more})`;
  if (file) {
    lines.push(`with open(${JSON.stringify(file.name)}, "rb") as file:`);
    lines.push(`    ${callLine(`, files={"file": file}, data=${pythonValue(file.fields)}`)}`);
  } else if (body !== undefined) lines.push(`body = ${pythonValue(body)}`, callLine(", json=body"));
  else lines.push(callLine(""));
  lines.push("print(response.status_code, response.json())");
  return lines.join("\n");
}

/** Python writes JSON values in the same way, except null, true and false. */
function pythonValue(value: unknown, indent = ""): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const entries = Array.isArray(value)
    ? value.map((each) => `${inner}${pythonValue(each, inner)}`)
    : Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pythonValue(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return entries.length === 0 ? `${open}${close}` : `${open}\n${entries.join(",\n")},\n${indent}${close}`;
}
