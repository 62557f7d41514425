import { Problem } from "./problem.js";

/** Accepts uncompressed JSON in UTF-8. Anything else is rejected before the body is read. */
export function requireJson(headers: Headers): void {
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (!/^application\/(json|[a-z0-9.+-]+\+json)$/.test(type.trim())) {
    throw new Problem("unsupportedMediaType", "Send the body as JSON, with the header Content-Type: application/json");
  }
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new Problem("unsupportedMediaType", "Send the body encoded in UTF-8");
  }
  requireIdentity(headers);
}

function requireIdentity(headers: Headers): void {
  const encoding = (headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity") throw new Problem("unsupportedMediaType", "Send the body without Content-Encoding");
}
