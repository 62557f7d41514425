import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "minio";
import { backOffMs } from "../../backOff.js";
import { ObjectMissing, StoreUnavailable } from "../../portErrors.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import { assertKey, contentDisposition } from "./objectKeys.js";
import { codeOf, createErrorTranslator, type TranslateError } from "./s3Faults.js";

export interface S3Options {
  /** `http://host:port` or `https://host` */
  readonly endpoint: string;
  /** The store's address in links handed out to users. Defaults to `endpoint`. */
  readonly publicEndpoint?: string | undefined;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  readonly region: string;
  /** A request is aborted when nothing is sent or received for this long. */
  readonly silenceMs?: number;
  /** An operation that fails later than this is not retried. */
  readonly patienceMs?: number;
}

const maxAttempts = 3;
const defaultPatienceMs = 60_000;
const defaultSilenceMs = 15_000;
const maxRequestMs = 300_000;

export function createS3ObjectStore(options: S3Options): ObjectStore & { close(): void } {
  const { bucket, patienceMs = defaultPatienceMs } = options;
  const { client, close } = createClient(options);
  // A link's signature includes the store's address, so another address needs another client. It only signs, and opens no connection.
  const signer = options.publicEndpoint ? createClient({ ...options, endpoint: options.publicEndpoint }).client : client;
  const translate = createErrorTranslator(options);
  const withRetries = <Result>(key: string, work: () => Promise<Result>) => retry(key, patienceMs, work, translate);
  const ping = async () => {
    // Lists objects, since a failed HEAD request would not say why it failed. Nothing is stored under this prefix.
    await client.listObjectsV2Query(bucket, "ping/", "", "", 1, "").catch((error: unknown) => {
      throw translate(error);
    });
  };
  return {
    put: (key, path, { contentType }) => withRetries(key, () => sendFile(client, { bucket, key, path, contentType })),
    fetch: async (key, path) => {
      try {
        await withRetries(key, async () => pipeline(await client.getObject(bucket, key), createWriteStream(path)));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    read: (key) => withRetries(key, async () => buffer(await client.getObject(bucket, key))),
    exists: async (key) => {
      try {
        await withRetries(key, () => client.statObject(bucket, key));
        return true;
      } catch (error) {
        if (!(error instanceof ObjectMissing)) throw error;
        await ping(); // a missing bucket gives the same error as a missing object
        return false;
      }
    },
    remove: (key) =>
      withRetries(key, () => client.removeObject(bucket, key)).catch((error: unknown) => {
        if (!(error instanceof ObjectMissing)) throw error;
      }),
    async *list(prefix) {
      try {
        for await (const item of client.listObjectsV2(bucket, prefix, true))
          if (item.name) yield { key: item.name, modifiedAt: item.lastModified, size: item.size };
      } catch (error) {
        throw translate(error);
      }
    },
    removeUnfinished: async () => 0, // the store keeps an object whole or not at all
    link: (key, { downloadName, expiresInSeconds, now }) => {
      const headers = { "response-content-disposition": contentDisposition(downloadName) };
      return withRetries(key, () => signer.presignedGetObject(bucket, key, expiresInSeconds, headers, now));
    },
    prepare: async () => {
      try {
        await ping();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || error.fault !== "absent") throw error;
        await client.makeBucket(bucket, options.region).catch((failure: unknown) => {
          const isThere = codeOf(failure) === "BucketAlreadyOwnedByYou"; // another process has created it
          if (!isThere) throw translate(failure);
        });
      }
    },
    ping,
    close,
  };
}

function createClient(options: S3Options): { client: Client; close: () => void } {
  const url = new URL(options.endpoint);
  const secure = url.protocol === "https:";
  const { request, agent } = createBoundedTransport(secure, options.silenceMs);
  const client = new Client({
    endPoint: url.hostname,
    port: url.port ? Number(url.port) : secure ? 443 : 80,
    useSSL: secure,
    accessKey: options.accessKey,
    secretKey: options.secretKey,
    region: options.region,
    pathStyle: true,
    transport: { request } as unknown as typeof import("node:http"),
    retryOptions: { disableRetry: true }, // `retry` below also covers lost connections, and does not write to the console
  });
  return { client, close: () => agent.destroy() };
}

/**
 * Sends a file as one request, whatever its size. The client's own upload would read the file into memory, or send it in parts. If a part
 * failed, the others would stay in the store.
 */
async function sendFile(client: Client, { bucket, key, path, contentType }: Record<"bucket" | "key" | "path" | "contentType", string>) {
  const { size } = await stat(path);
  const headers = { "Content-Type": contentType, "Content-Length": String(size) };
  const put = { method: "PUT", bucketName: bucket, objectName: key, headers };
  const hash = client.enableSHA256 ? await sha256Of(path) : ""; // the client signs the content only without TLS
  const response = await client.makeRequestStreamAsync(put, createReadStream(path), hash, [200], "");
  response.resume();
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Retries a failed operation; every operation here can be repeated without harm. Wrong settings are not retried. */
async function retry<Result>(key: string, patienceMs: number, work: () => Promise<Result>, translate: TranslateError): Promise<Result> {
  assertKey(key);
  const started = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (failure) {
      const error = translate(failure, key);
      const isLastAttempt = attempt === maxAttempts || performance.now() - started > patienceMs;
      if (isLastAttempt || !(error instanceof StoreUnavailable) || error.fault !== "outage") throw error;
      await pause(backOffMs(attempt, { firstMs: 300, maxMs: 1000 }));
    }
  }
}

/** An HTTP transport that ends a request that is silent or takes too long. The minio client itself sets no time-outs. */
function createBoundedTransport(secure: boolean, silenceMs = defaultSilenceMs) {
  const { Agent, request: send } = secure ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const request = (options: http.RequestOptions, onResponse?: (response: http.IncomingMessage) => void): http.ClientRequest => {
    const outgoing = send({ ...options, agent, timeout: silenceMs }, onResponse);
    outgoing.on("timeout", () => outgoing.destroy(new Error(`nothing was sent or received for ${silenceMs / 1000} s`)));
    const timer = setTimeout(() => outgoing.destroy(new Error(`not done after ${maxRequestMs / 1000} s`)), maxRequestMs).unref();
    outgoing.on("close", () => clearTimeout(timer));
    return outgoing;
  };
  return { request, agent };
}
