import pg from "pg";

/** Members of a node-postgres client that its types do not declare. */
interface Session {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: NodeJS.EventEmitter & {
    readonly ssl: unknown;
    readonly sslNegotiation?: string;
    readonly stream: { destroy(): void };
    connect(port: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
  };
}

const longestMs = 2_000;

/**
 * Asks the server to end the statement that the client runs, by the protocol's cancel request: it names the session by its secret, and poolers
 * pass it on. Resolves when the server has dealt with it or cannot be asked. Until then the session must not be given to anyone else, since the
 * request ends whatever the session runs by then.
 */
export function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID, secretKey } = client as unknown as Session;
  const { connectionString } = pool.options;
  const { connection, host, port } = new pg.Client({ connectionString }) as unknown as Session;
  return new Promise((resolve) => {
    const late = setTimeout(() => connection.stream.destroy(), longestMs).unref();
    const done = () => {
      clearTimeout(late);
      resolve();
    };
    connection.on("error", done);
    connection.once("end", done); // the server closes the connection when it has sent the signal
    connection.once("connect", () => {
      if (!connection.ssl) connection.cancel(processID, secretKey);
      else if (connection.sslNegotiation !== "direct") connection.requestSsl();
    });
    connection.once("sslconnect", () => connection.cancel(processID, secretKey));
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
