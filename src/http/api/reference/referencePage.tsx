// The API reference: one page, rendered from the OpenAPI document (pages/docs.ts). Its script adds search, a choice of language and "Try it".
import { raw } from "hono/html";
import { marked } from "marked";
import type { DescribedOperation, OpenApi, Operation } from "../document/describeApi.js";
import { guideParts } from "../document/guide.js";
import { documentPage } from "./documentPage.js";
import { AnswerView, OperationView, Parameters } from "./operationView.js";
import { SchemaView } from "./schemaView.js";

const languages = ["curl", "JavaScript", "C#", "Python"];

export function referencePage(document: OpenApi, baseUrl: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => ({ method: method.toUpperCase(), path, operation })),
  );
  const commonStatuses = findCommonStatuses(operations.map(({ operation }) => operation));
  return documentPage({
    title: "Waybill API reference",
    heading: "Waybill API reference",
    filesPath: "docs/",
    script: "reference.js",
    links: [
      { to: "docs/guide", text: "First import, step by step" },
      { to: "openapi.json", text: "openapi.json" },
      { to: "portal", text: "Portal" },
    ],
    children: (
      <>
        <Contents document={document} operations={operations} />
        <main id="main" tabindex={-1}>
          <Guide />
          {document.tags.map(({ name, description }) => (
            <section id={sectionId(name)}>
              <h2>{name}</h2>
              <p>{description}</p>
              {operations
                .filter(({ operation }) => operation.tags.includes(name))
                .map((each) => (
                  <OperationView {...each} document={document} baseUrl={baseUrl} commonStatuses={commonStatuses} />
                ))}
              {name === "Webhooks" && <Webhooks document={document} />}
            </section>
          ))}
          <section id="answers">
            <h2>Answers of every operation</h2>
            {Object.entries(operations[0]?.operation.responses ?? {})
              .filter(([status]) => commonStatuses.has(status))
              .map(([status, answer]) => (
                <AnswerView status={status} answer={answer} document={document} />
              ))}
          </section>
        </main>
      </>
    ),
  });
}

const sectionId = (title: string) => title.toLowerCase().replaceAll(/[^a-z]+/g, "-");

function Contents({ document, operations }: { document: OpenApi; operations: readonly DescribedOperation[] }) {
  return (
    <nav aria-label="Contents">
      <div class="tools" hidden>
        <label>
          Search
          <input type="search" id="search" autocomplete="off" />
        </label>
        <label>
          API key, for Try it
          <input type="password" id="key" autocomplete="off" placeholder="wb_live_..." />
        </label>
        <label>
          Samples in
          <select id="language">
            {languages.map((language) => (
              <option>{language}</option>
            ))}
          </select>
        </label>
      </div>
      <p id="found" role="status" />
      <h2>Guide</h2>
      <ul>
        {Object.keys(guideParts).map((title) => (
          <li>
            <a href={`#guide-${sectionId(title)}`}>{title}</a>
          </li>
        ))}
      </ul>
      {document.tags.map(({ name }) => (
        <>
          <h2>
            <a href={`#${sectionId(name)}`}>{name}</a>
          </h2>
          <ul>
            {operations
              .filter(({ operation }) => operation.tags.includes(name))
              .map(({ method, operation: { operationId, summary } }) => (
                <li>
                  <a href={`#${operationId}`}>
                    <span class={`method ${method.toLowerCase()}`}>{method}</span> {summary}
                  </a>
                </li>
              ))}
            {name === "Webhooks" &&
              Object.keys(document.webhooks).map((type) => (
                <li>
                  <a href={`#webhook-${sectionId(type)}`}>{type}</a>
                </li>
              ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

function Guide() {
  return (
    <section id="guide">
      {Object.entries(guideParts).map(([title, text]) => (
        <section id={`guide-${sectionId(title)}`} class="guide" data-search={`${title} ${text}`.toLowerCase()}>
          <h2>{title}</h2>
          {raw(marked.parse(text, { async: false }))}
        </section>
      ))}
    </section>
  );
}

function Webhooks({ document }: { document: OpenApi }) {
  return (
    <>
      {Object.entries(document.webhooks).map(([type, { post }], index) => (
        <article id={`webhook-${sectionId(type)}`} data-search={`webhook ${type} ${post.summary}`.toLowerCase()}>
          <div class="said">
            <h3>
              <code>{type}</code>
            </h3>
            <p>{post.description}</p>
            {index === 0 && <Parameters parameters={post.parameters} document={document} />}
            <h4>Body</h4>
            {Object.values(post.requestBody?.content ?? {}).map(({ schema }) => (
              <SchemaView schema={schema} document={document} />
            ))}
          </div>
        </article>
      ))}
    </>
  );
}

/** Finds the statuses whose answer is the same for all operations. */
function findCommonStatuses(operations: readonly Operation[]): ReadonlySet<string> {
  const [first, ...others] = operations.map(({ responses }) => responses);
  const isCommon = (status: string) => others.every((responses) => JSON.stringify(responses[status]) === JSON.stringify(first?.[status]));
  return new Set(Object.keys(first ?? {}).filter(isCommon));
}
