// As much of a container engine's API as the containers of a test run need. Its containers run nothing.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Wanted {
  readonly Image: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
}

export interface FakeEngine {
  /** The variables by which a process finds it. */
  readonly environment: Record<string, string>;
  /** The images of the containers that are there. */
  images(): string[];
  /** How many containers it has made. */
  made(): number;
  close(): Promise<void>;
}

/** `refused` is an image of which it creates no container; `isSilent` that a container's log stays empty. */
export async function startFakeEngine({ refused = "none", isSilent = false } = {}): Promise<FakeEngine> {
  const containers = new Map<string, Wanted>();
  let made = 0;
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  function answer(method: string, url: URL, body: string, response: ServerResponse): unknown {
    const [, kind, id = "", act] = url.pathname.split("/");
    if (kind !== "containers") return json(response, 200, {}); // what it is, and that it has every image
    if (id === "create") return create(JSON.parse(body) as Wanted, response);
    if (id === "json") return json(response, 200, listed(url.searchParams.get("filters") ?? "{}"));
    const found = containers.get(id);
    if (!found) return json(response, 404, { message: "no such container" });
    if (method === "DELETE") containers.delete(id);
    if (act === "json") return json(response, 200, inspected(id, found));
    if (act === "logs") return log(response);
    return response.writeHead(204).end();
  }

  function create(wanted: Wanted, response: ServerResponse): unknown {
    if (wanted.Image.startsWith(refused)) return json(response, 500, { message: "no space left on device" });
    made += 1;
    const id = `container${made}`;
    containers.set(id, wanted);
    return json(response, 201, { Id: id });
  }

  function listed(filters: string): unknown[] {
    const { label = [] } = JSON.parse(filters) as { label?: string[] };
    const has = ({ Labels }: Wanted) => label.every((each) => Object.entries(Labels).some(([name, value]) => each === `${name}=${value}`));
    return [...containers].filter(([, wanted]) => has(wanted)).map(([Id, { Labels }]) => ({ Id, Labels, State: "running", Created: 1 }));
  }

  function log(response: ServerResponse): void {
    const lines = Buffer.from("ready to accept connections\n".repeat(2));
    const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, lines.length]); // of a frame of stdout
    response.writeHead(200);
    response.flushHeaders();
    if (!isSilent) response.end(Buffer.concat([head, lines]));
  }

  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => answer(request.method ?? "", new URL(request.url ?? "", "http://engine"), body, response));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: { DOCKER_HOST: `tcp://127.0.0.1:${port}`, TESTCONTAINERS_RYUK_DISABLED: "true" },
    images: () => [...containers.values()].map(({ Image }) => Image),
    made: () => made,
    close: async () => {
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  };
}

/** Nothing listens on port 1, so that a container never becomes ready by its port. */
function inspected(Id: string, { Labels, ExposedPorts }: Wanted): unknown {
  const ports = Object.keys(ExposedPorts).map((port) => [port, [{ HostIp: "0.0.0.0", HostPort: "1" }]]);
  return {
    ...{ Id, Name: Id, Config: { Hostname: Id, Labels } },
    State: { Running: true, Status: "running", StartedAt: new Date(0).toISOString(), FinishedAt: "" },
    NetworkSettings: { Ports: Object.fromEntries(ports), Networks: {} },
  };
}
