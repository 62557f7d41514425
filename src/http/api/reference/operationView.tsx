import type { Child } from "hono/jsx";
import type { AnswerDescription, DescribedOperation, OpenApi, Parameter } from "../document/describeApi.js";
import { exampleRequests } from "../document/examples/examples.js";
import { type ApiCall, codeSamples } from "./samples.js";
import { SchemaDescription, SchemaView, typeName } from "./schemaView.js";

interface Props extends DescribedOperation {
  readonly document: OpenApi;
  readonly baseUrl: string;
  /** The statuses whose answer is the same for all operations. The page describes them in one place. */
  readonly commonStatuses: ReadonlySet<string>;
}

export function OperationView({ method, path, operation, document, baseUrl, commonStatuses }: Props) {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const details = `${description} `.replace(`${summary}. `, "").trim();
  const call = exampleCall({ method, path, operation }, baseUrl);
  return (
    <article id={operationId} data-search={`${summary} ${path} ${operationId}`.toLowerCase()}>
      <div class="said">
        <h3>
          <a href={`#${operationId}`}>{summary}</a>
        </h3>
        <p class="address">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
          {operation["x-extension"] && <span class="extension"> extension</span>}
        </p>
        {details !== "" && <p>{details}</p>}
        <Parameters parameters={parameters} document={document} />
        {Object.values(requestBody?.content ?? {}).map(({ schema }) => (
          <section>
            <h4>Request body</h4>
            {requestBody?.description !== undefined && <p>{requestBody.description}.</p>}
            <SchemaView schema={schema} document={document} />
          </section>
        ))}
        <h4>Answers</h4>
        {Object.entries(responses)
          .filter(([status]) => !commonStatuses.has(status))
          .map(([status, answer]) => (
            <AnswerView status={status} answer={answer} document={document} />
          ))}
        <p class="hint">
          Besides <a href="#answers">those of every operation</a>.
        </p>
      </div>
      <div class="beside">
        <Samples call={call} />
        <TryIt method={method} path={path} operation={operation} />
      </div>
    </article>
  );
}

export function Parameters({ parameters, document }: { parameters: readonly Parameter[]; document: OpenApi }) {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h4>Parameters</h4>
      <ul class="fields">
        {parameters.map(({ name, in: place, required, description, schema }) => (
          <li>
            <code class="name">{name}</code> <span class="type">{typeName(schema, document)}</span>
            <span class="place"> in the {place}</span>
            {required && <span class="required"> required</span>}
            <SchemaDescription schema={{ ...schema, ...(description === undefined ? {} : { description }) }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function AnswerView({ status, answer, document }: { status: string; answer: AnswerDescription; document: OpenApi }) {
  const media = answer.content?.["application/json"];
  return (
    <details class="answer" open={status.startsWith("2")}>
      <summary>
        <strong>{status}</strong> {answer.description}
      </summary>
      {media && <SchemaView schema={media.schema} document={document} />}
      {media?.example !== undefined && <Code text={JSON.stringify(media.example, null, 2)} />}
    </details>
  );
}

/** Focusable, so that long lines can be scrolled with the keyboard. */
export const Code = ({ text }: { text: string }) => (
  <pre tabindex={0}>
    <code>{highlightCode(text)}</code>
  </pre>
);

/** Matches a quoted text on one line, a number, or a word of the language. */
const tokenPattern =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\b(\d+(?:\.\d+)?)\b|\b(?:await|const|import|from|new|using|var|true|false|null|None|True|False|with|as|print|curl)\b/g;

/** Colours code on the server: the page's policy allows no script from elsewhere, and none is needed. */
export function highlightCode(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: all, 1: quoted, 2: number, index } of text.matchAll(tokenPattern)) {
    if (index > end) parts.push(text.slice(end, index));
    end = index + all.length;
    const isKey = quoted !== undefined && /^\s*:/.test(text.slice(end, end + 2));
    parts.push(
      <span class={isKey ? "code-key" : quoted !== undefined ? "code-text" : number !== undefined ? "code-number" : "code-word"}>
        {all}
      </span>,
    );
  }
  parts.push(text.slice(end));
  return parts;
}

/** Renders all languages; the page's script shows the one that the reader has chosen. */
function Samples({ call }: { call: ApiCall }) {
  return (
    <div class="samples">
      {codeSamples(call).map(({ language, text }) => (
        <div class="sample" data-language={language}>
          <h4>{language}</h4>
          <Code text={text} />
          <button type="button" class="copy" hidden>
            Copy
          </button>
        </div>
      ))}
    </div>
  );
}

/** The call that the code samples show, with the document's examples as its values. */
export function exampleCall({ method, path, operation }: DescribedOperation, baseUrl: string): ApiCall {
  const { operationId, parameters, requestBody } = operation;
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example ?? name)),
  );
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const query = new URLSearchParams(required.map(({ name, example }): [string, string] => [name, String(example ?? "")]));
  const call = { method, url: `${baseUrl}${filledPath}${query.size > 0 ? `?${query}` : ""}` };
  const { file, sourceDetails } = exampleRequests[operationId] ?? {};
  if (file) return { ...call, file: { name: file.name, fields: sourceDetails === undefined ? {} : { sourceDetails } } };
  const body = requestBody?.content["application/json"]?.example;
  return body === undefined ? call : { ...call, body };
}

/** A form that sends the operation with the key entered at the top of the page. Hidden without the page's script, which sends it. */
export function TryIt({ method, path, operation }: DescribedOperation) {
  const { operationId, parameters, requestBody, tags } = operation;
  const { file, sourceDetails } = exampleRequests[operationId] ?? {};
  const body = requestBody?.content["application/json"]?.example;
  return (
    <details class="try" hidden>
      <summary>Try it</summary>
      <form data-method={method} data-path={path} data-tag={tags[0]}>
        {parameters.map(({ name, in: place, required, example }) => (
          <label>
            {name}
            <input name={`${place}.${name}`} required={required} value={required && example !== undefined ? String(example) : ""} />
          </label>
        ))}
        {file && (
          <>
            <label>
              File name
              <input name="file.name" value={file.name} required />
            </label>
            <label>
              File content
              <textarea name="file.text" rows={6} spellcheck={false}>
                {file.text}
              </textarea>
            </label>
            <label>
              sourceDetails
              <input name="file.sourceDetails" value={sourceDetails ?? ""} />
            </label>
          </>
        )}
        {body !== undefined && (
          <label>
            Body
            <textarea name="body" rows={12} spellcheck={false}>
              {JSON.stringify(body, null, 2)}
            </textarea>
          </label>
        )}
        <button type="submit">Send</button>
      </form>
      <output tabindex={0} />
    </details>
  );
}
