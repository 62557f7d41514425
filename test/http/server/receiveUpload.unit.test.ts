import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Agent, createServer, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { limits } from "../../../src/domain/imports/limits.js";
import { Rejection } from "../../../src/domain/rejection.js";
import { receiveUpload, type Upload } from "../../../src/http/server/receiveUpload.js";
import { everyCase } from "../../support/projects/everyCase.js";

let tempDir: string;
let server: Server;
let url: string;
let outcome: Promise<Upload>;

beforeAll(async () => {
  tempDir = await mkdtemp(join(tmpdir(), "waybill-test-"));
  server = createServer((incoming, outgoing) => {
    outcome = receiveUpload(incoming, tempDir, {
      ...(incoming.headers["x-impatient"] ? { idleMs: 50 } : {}),
      fields: ["kind"],
      recheckAccess: async () => undefined,
      beforeFile: (fields) => {
        if (fields.get("kind") === "none") throw new Rejection("forbidden", "no files of this kind");
      },
    });
    outcome.then(
      () => outgoing.end("taken"),
      () => {
        incoming.resume();
        outgoing.writeHead(400).end();
      },
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await rm(tempDir, { recursive: true, force: true });
});

beforeEach(async () => {
  for (const left of await readdir(tempDir)) await rm(join(tempDir, left), { recursive: true });
});

const form = (parts: Record<string, string | File>) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(parts)) body.append(name, value);
  return body;
};
const post = (body: FormData | string, headers: Record<string, string> = {}) => fetch(url, { method: "POST", body, headers });
const refusal = async () =>
  outcome.then(
    () => undefined,
    (error: Rejection) => ({ code: error.code, message: error.message }),
  );

describe("an upload", () => {
  it("arrives as a file with its size and hash, and its name as the default reference", async () => {
    await post(form({ file: new File(["a,b\r\n1,2\r\n"], "orders.csv") }));
    const upload = await outcome;
    expect(await readFile(upload.path, "utf8")).toBe("a,b\r\n1,2\r\n");
    expect(upload).toMatchObject({ name: "orders.csv", size: 10, sourceDetails: "orders.csv" });
    expect(upload.sha256).toBe(createHash("sha256").update("a,b\r\n1,2\r\n").digest("hex"));
  });

  it.each(["", '; filename="a.csv"'])("with a part without a name%s is refused", async (rest) => {
    const body = `--b\r\ncontent-disposition: form-data${rest}\r\n\r\nx\r\n--b--\r\n`;
    expect((await post(body, { "content-type": "multipart/form-data; boundary=b" })).status).toBe(400);
    expect(await refusal()).toMatchObject({ code: "invalid", message: expect.stringMatching(/^A part without a name is not|^file/) });
  });

  it("that cannot be written to the disk fails as unavailable, with the disk's error as its cause", async () => {
    const sending = request(url, { method: "POST", headers: { "content-type": "multipart/form-data; boundary=b" } });
    onTestFinished(() => void sending.destroy());
    const answered = new Promise((resolve) => sending.once("response", (answer) => resolve(answer.resume().statusCode)));
    sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n');
    await expect.poll(() => readdir(tempDir)).toHaveLength(1);
    await rm(join(tempDir, ...(await readdir(tempDir))), { recursive: true });
    sending.end(`\r\n${"x".repeat(5_000_000)}\r\n--b--\r\n`);
    expect(await answered).toBe(400);
    await expect(outcome).rejects.toMatchObject({ code: "unavailable", cause: { code: "ENOENT", syscall: "open" } });
  });

  it.each([
    ["C:\\Users\\me\\März.csv", "März.csv"],
    ["../../etc/passwd.csv", "passwd.csv"],
    ["订单 “x”.xlsx", "订单 “x”.xlsx"],
    ["", "upload"],
    [`${"n".repeat(251)}.csv`, `${"n".repeat(251)}.csv`],
    [`${"n".repeat(252)}.csv`, `${"n".repeat(246)}...nn.csv`],
  ])("named %j is kept as %j", async (sent, kept) => {
    await post(form({ file: new File(["x"], sent) }));
    expect((await outcome).name).toBe(kept);
  });

  it("may have a reference of 500 characters of any kind", async () => {
    await post(form({ sourceDetails: "🚚".repeat(500), file: new File(["x"], "a.csv") }));
    expect((await outcome).sourceDetails).toBe("🚚".repeat(500));
  });

  it("has the caller's own reference", async () => {
    await post(form({ sourceDetails: "May run", file: new File(["x"], "a.csv") }));
    expect((await outcome).sourceDetails).toBe("May run");
  });

  it.each([1, 100_000, 300_000, 2_000_000])(
    "with a fault after its file of %i bytes is refused, and leaves nothing behind",
    async (bytes) => {
      for (const last of [{ colour: "red" }, { sourceDetails: "y".repeat(501) }, { more: new File(["x"], "b.csv") }]) {
        await post(form({ file: new File([Buffer.alloc(bytes, "x")], "a.csv"), ...last }));
        expect((await refusal())?.code).toBe("invalid");
        expect(await readdir(tempDir)).toEqual([]);
      }
    },
  );

  it.each([
    ["no file", form({ sourceDetails: "x" }), /file is required/],
    ["an empty file", form({ file: new File([], "a.csv") }), /empty/],
    ["another field", form({ file: new File(["x"], "a.csv"), colour: "red" }), /"colour" is not a field/],
    ["a file in another field", form({ upload: new File(["x"], "a.csv") }), /"upload" is not a field/],
    ["text in place of the file", form({ file: "a,b" }), /^file must be sent as a file, with a file name$/],
    ["a file in place of the reference", form({ sourceDetails: new File(["x"], "a.csv") }), /^sourceDetails must be sent as text/],
    ["a reference that is too long", form({ file: new File(["x"], "a.csv"), sourceDetails: "🚚".repeat(501) }), /sourceDetails/],
    ["a reference that is too long", form({ file: new File(["x"], "a.csv"), sourceDetails: "y".repeat(501) }), /sourceDetails/],
  ])("with %s is refused, and leaves nothing behind", async (_name, body, message) => {
    await post(body);
    expect((await refusal())?.message).toMatch(message);
    expect(await readdir(tempDir)).toEqual([]);
  });

  const sizes: [number, boolean][] = [
    [-1, true],
    [0, true],
    [1, false],
    [2, false],
    [10_000, false],
  ];
  // test/http/api/pushes/files.test.ts sends a file of the largest size, and one a byte larger, to the whole API.
  it.each(everyCase ? sizes : sizes.slice(0, 1))("of the largest size plus %i bytes is accepted: %s", async (extra, taken) => {
    const body = form({ file: new File([Buffer.alloc(limits.fileBytes + extra, "x")], "a.csv") });
    await post(body).catch(() => undefined);
    const refused = await refusal();
    expect(refused).toEqual(taken ? undefined : { code: "tooLarge", message: expect.stringContaining("50 MB") });
  });

  it("that declares more than the limit is refused before its body arrives", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${limits.fileBytes * 2}\r\n\r\n`,
    );
    await expect.poll(async () => (await refusal())?.code).toBe("tooLarge");
    socket.destroy();
  });

  it.each([
    ["cut off mid-file", "--b\r\ncontent-disposition: form-data; name=file; filename=a.csv\r\n\r\nabc"],
    ["that is no multipart at all", "hello"],
  ])("%s is refused, and leaves nothing behind", async (_name, text) => {
    await post(text, { "content-type": "multipart/form-data; boundary=b" });
    expect((await refusal())?.code).toBe("invalid");
    expect(await readdir(tempDir)).toEqual([]);
  });

  it("refused while most of it is still to come leaves its connection usable for the next request", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (body: string) =>
      new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
        const sent = request(url, { method: "POST", agent, headers: { "content-type": "multipart/form-data; boundary=b" } }, (answer) =>
          answer.resume().once("end", () => resolve({ status: answer.statusCode, reused: sent.reusedSocket })),
        );
        sent.once("error", reject).setTimeout(60_000, () => sent.destroy(new Error("no answer")));
        sent.end(body);
      });
    const file = (bytes: number) => `--b\r\ncontent-disposition: form-data; name=file; filename=a.csv\r\n\r\n${"x".repeat(bytes)}\r\n`;
    try {
      await send(`--b\r\ncontent-disposition: form-data; name=colour\r\n\r\nred\r\n${file(2_000_000)}--b--\r\n`);
      expect((await refusal())?.message).toMatch(/"colour" is not a field/);
      expect(await send(`${file(1)}--b--\r\n`)).toEqual({ status: 200, reused: true });
    } finally {
      agent.destroy();
    }
  });

  it("whose bytes stop arriving is given up as timed out, and leaves nothing behind", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
    const head = "content-type: multipart/form-data; boundary=b\r\ncontent-length: 5000\r\nx-impatient: 1";
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n--b\r\ncontent-disposition: form-data; name=file; filename=a.csv\r\n\r\nabc`,
    );
    await new Promise((resolve) => socket.once("data", resolve));
    expect(await refusal()).toEqual({
      code: "requestTimeout",
      message: "The upload stalled: no bytes arrived for 0.05 seconds. Send it again",
    });
    expect(await readdir(tempDir)).toEqual([]);
    socket.destroy();
  });

  it("whose sender disconnects leaves nothing behind", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 5000\r\n\r\n--b\r\ncontent-disposition: form-data; name=file; filename=a.csv\r\n\r\nabc",
    );
    await expect.poll(() => readdir(tempDir)).toHaveLength(1);
    socket.destroy();
    expect((await refusal())?.code).toBe("invalid");
    expect(await readdir(tempDir)).toEqual([]);
  });
});
