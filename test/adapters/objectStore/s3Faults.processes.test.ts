// An S3 store that answers but cannot be used: the error says what to check, nothing is created, and the request is not retried.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createS3ObjectStore, type S3Options } from "../../../src/adapters/objectStore/s3ObjectStore.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { ObjectStore } from "../../../src/ports/objectStore.js";
import { startTestS3, type TestS3 } from "../../support/stores/stores.js";

let s3: TestS3;
let folder: string;
const opened: { close(): void }[] = [];
beforeAll(async () => {
  s3 = await startTestS3();
  folder = await mkdtemp(join(tmpdir(), "waybill-test-s3-faults-"));
  await writeFile(join(folder, "file"), "x");
});
afterAll(async () => {
  for (const { close } of opened) close();
  await s3?.close();
  await rm(folder, { recursive: true, force: true });
});

function open(change: Partial<S3Options>): ObjectStore {
  const store = createS3ObjectStore({ ...s3.options, ...change });
  opened.push(store);
  return store;
}

async function faultOf(work: Promise<unknown>): Promise<StoreUnavailable> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreUnavailable);
  return error as StoreUnavailable;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

test("a missing bucket is reported as such, not as a missing object, and only `prepare` creates it", async () => {
  const bucket = `${s3.options.bucket}-absent`;
  const store = open({ bucket });
  const path = join(folder, "file");
  const asked = [
    () => store.ping(),
    () => store.fetch("uploads/demo/a", join(folder, "back")),
    () => store.exists("uploads/demo/a"),
    () => store.put("uploads/demo/a", path, { contentType: "text/csv" }),
    () => store.list("uploads/")[Symbol.asyncIterator]().next(),
  ];
  for (const work of asked) {
    const fault = await faultOf(work());
    expect(fault.fault).toBe("absent");
    expect(fault.message).toBe(
      `The object store at ${s3.options.endpoint} (bucket ${bucket}) cannot be used: The bucket does not exist. Check S3_BUCKET; the api role creates a missing bucket when it starts.`,
    );
  }
  await store.prepare();
  await store.ping();
  expect(await store.exists("uploads/demo/a")).toBe(false);
});

test("a wrong secret or access key is reported with endpoint and bucket, and creates no bucket", async () => {
  const bucket = `${s3.options.bucket}-secret`;
  for (const change of [{ secretKey: "wrong" }, { accessKey: "NOBODY" }]) {
    const fault = await faultOf(open({ ...change, bucket }).prepare());
    expect(fault.fault).toBe("misconfigured");
    expect(fault.message).toContain(`The object store at ${s3.options.endpoint} (bucket ${bucket}) cannot be used: `);
    expect(fault.message).toContain("Check S3_ACCESS_KEY and S3_SECRET_KEY.");
    expect(fault.message).not.toContain("wrong");
  }
  expect((await faultOf(open({ bucket }).ping())).fault).toBe("absent");
});

const refusal = (code: string, more = "") => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>As it is.</Message>${more}</Error>`;

test.each([
  ["AccessDenied", "", 403, "AccessDenied: As it is. Check that S3_ACCESS_KEY may use this bucket, and that it is yours."],
  [
    "AuthorizationHeaderMalformed",
    "<Region>eu-west-1</Region>",
    400,
    "AuthorizationHeaderMalformed: As it is (region eu-west-1). Check S3_REGION and S3_ENDPOINT.",
  ],
  ["PermanentRedirect", "", 301, "PermanentRedirect: As it is. Check S3_REGION and S3_ENDPOINT."],
  ["RequestTimeTooSkewed", "", 403, "RequestTimeTooSkewed: As it is. Set this machine's clock."],
])("%s is reported with what the operator has to check, and is not retried", async (code, more, status, said) => {
  let asked = 0;
  const answer: RequestListener = (request, response) => {
    asked += 1;
    request.resume().on("end", () => response.writeHead(status, { "content-type": "application/xml" }).end(refusal(code, more)));
  };
  const endpoint = `http://127.0.0.1:${await listen(createServer(answer))}`;
  const store = open({ endpoint });
  for (const work of [() => store.ping(), () => store.fetch("uploads/demo/a", join(folder, "back"))]) {
    asked = 0;
    const fault = await faultOf(work());
    expect(fault.fault).toBe("misconfigured");
    expect(fault.message).toBe(`The object store at ${endpoint} (bucket ${s3.options.bucket}) cannot be used: ${said}`);
    expect(asked).toBe(1);
  }
});

test("removing an object that is gone is no error on a store that answers 404 to its removal", async () => {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url?.split("?")[0]}`);
    request.resume().on("end", () => response.writeHead(404).end(refusal("NoSuchKey")));
  };
  const store = open({ endpoint: `http://127.0.0.1:${await listen(createServer(answer))}` });
  await store.remove("uploads/demo/a");
  expect(asked).toEqual([`DELETE /${s3.options.bucket}/uploads/demo/a`]);
});

test("for a certificate that is not trusted, or a server without TLS, the error names the store and what to check", async () => {
  const [key, cert] = await Promise.all(["key.pem", "certificate.pem"].map((name) => readFile(`test/fixtures/tls/${name}`)));
  const untrusted = await listen(createSecureServer({ key, cert }));
  const plain = await listen(createServer());
  for (const port of [untrusted, plain]) {
    const fault = await faultOf(open({ endpoint: `https://127.0.0.1:${port}` }).ping());
    expect(fault.fault).toBe("misconfigured");
    expect(fault.message).toContain(`The object store at https://127.0.0.1:${port} (bucket ${s3.options.bucket}) cannot be used: `);
    expect(fault.message).toContain("NODE_EXTRA_CA_CERTS");
  }
});

test("an address where no server listens is an outage, and the error names endpoint and bucket", async () => {
  const fault = await faultOf(open({ endpoint: "http://127.0.0.1:1" }).prepare());
  expect(fault.fault).toBe("outage");
  expect(fault.message).toBe(
    `The object store at http://127.0.0.1:1 (bucket ${s3.options.bucket}) is not available: connect ECONNREFUSED 127.0.0.1:1`,
  );
});
