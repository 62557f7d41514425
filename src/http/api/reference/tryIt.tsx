import { exampleRequests } from "../document/examples/requests.js";
import type { Described } from "./openApi.js";

/** Sends the operation from the page, with the key that was entered above. Shown by the script, without which it could not work. */
export function TryIt({ method, path, operation }: Described) {
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
