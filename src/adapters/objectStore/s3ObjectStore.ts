import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "minio";
import { ObjectMissing, StoreUnavailable } from "../../portErrors.js";
import type { ObjectStore } from "../../ports.js";
import { assertKey, contentDisposition } from "./keys.js";
import { boundedTransport } from "./s3Transport.js";

export interface S3Options {
  /** `http://host:port` or `https://host` */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  readonly region: string;
  /** A request on which nothing moves for so long is given up. */
  readonly silenceMs?: number;
  /** After so long a failure is not tried again. */
  readonly patienceMs?: number;
}

const attempts = 3;
const defaultPatienceMs = 60_000;

export function createS3ObjectStore(options: S3Options): ObjectStore & { close(): void } {
  const { bucket } = options;
  const { client, close } = connect(options);
  const retried = <Result>(key: string, work: () => Promise<Result>) => retry(key, options.patienceMs ?? defaultPatienceMs, work);
  const ensureBucket = async () => {
    if (await client.bucketExists(bucket)) return;
    await client.makeBucket(bucket, options.region).catch((error: unknown) => {
      if (!/^BucketAlready/.test(codeOf(error))) throw error;
    });
  };
  return {
    put: (key, path, { contentType }) =>
      retried(key, async () => {
        const { size } = await stat(path);
        const send = () => client.putObject(bucket, key, createReadStream(path), size, { "Content-Type": contentType });
        await send().catch(async (error: unknown) => {
          if (codeOf(error) !== "NoSuchBucket") throw error;
          await ensureBucket();
          await send();
        });
      }),
    fetch: async (key, path) => {
      try {
        await retried(key, async () => pipeline(await client.getObject(bucket, key), createWriteStream(path)));
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    exists: (key) =>
      retried(key, () => client.statObject(bucket, key)).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ObjectMissing) return false;
          throw error;
        },
      ),
    remove: (key) =>
      retried(key, () => client.removeObject(bucket, key)).catch((error: unknown) => {
        if (!(error instanceof ObjectMissing)) throw error;
      }),
    move: async (key, to) => {
      assertKey(to);
      await retried(key, () => client.copyObject(bucket, to, `/${bucket}/${key}`)).catch(async (error: unknown) => {
        if (!(error instanceof ObjectMissing)) throw error;
        await retried(to, () => client.statObject(bucket, to)).catch(() => {
          throw error;
        });
      });
      await retried(key, () => client.removeObject(bucket, key));
    },
    list: (prefix) => list(client, bucket, prefix),
    link: (key, { downloadName, expiresInSeconds, now }) => {
      const headers = { "response-content-disposition": contentDisposition(downloadName) };
      return retried(key, () => client.presignedGetObject(bucket, key, expiresInSeconds, headers, now));
    },
    ping: () => attempt("", ensureBucket),
    close,
  };
}

function connect(options: S3Options): { client: Client; close: () => void } {
  const url = new URL(options.endpoint);
  const secure = url.protocol === "https:";
  const { request, agent } = boundedTransport(secure, options.silenceMs);
  const client = new Client({
    endPoint: url.hostname,
    port: url.port ? Number(url.port) : secure ? 443 : 80,
    useSSL: secure,
    accessKey: options.accessKey,
    secretKey: options.secretKey,
    region: options.region,
    pathStyle: true,
    partSize: 8 * 1024 * 1024, // a part is held in memory while it is sent
    transport: { request } as unknown as typeof import("node:http"),
    retryOptions: { disableRetry: true }, // ours also cover lost connections, and do not write to the console
  });
  return { client, close: () => agent.destroy() };
}

async function* list(client: Client, bucket: string, prefix: string): AsyncGenerator<{ key: string; modifiedAt: Date; size: number }> {
  try {
    for await (const item of client.listObjectsV2(bucket, prefix, true)) {
      if (item.name) yield { key: item.name, modifiedAt: item.lastModified, size: item.size };
    }
  } catch (error) {
    if (codeOf(error) !== "NoSuchBucket") throw translate(error, prefix);
  }
}

/** Every operation here can be repeated without harm. */
async function retry<Result>(key: string, patienceMs: number, work: () => Promise<Result>): Promise<Result> {
  assertKey(key);
  const started = performance.now();
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(key, work);
    } catch (error) {
      const enough = tried === attempts || performance.now() - started > patienceMs;
      if (enough || !(error instanceof StoreUnavailable)) throw error;
      await pause(150 * 4 ** (tried - 1) * (0.5 + Math.random()));
    }
  }
}

function attempt<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    throw translate(error, key);
  });
}

function translate(error: unknown, key: string): unknown {
  const code = codeOf(error);
  if (["NoSuchKey", "NotFound", "NoSuchBucket"].includes(code)) return new ObjectMissing(key);
  if ((error as NodeJS.ErrnoException).syscall && (error as NodeJS.ErrnoException).path) return error; // the local file's own fault
  const reason = [code, (error as Error).message].filter(Boolean).join(": ");
  return new StoreUnavailable("object store", `The object store is not available: ${reason}`, { cause: error });
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? "");
}
