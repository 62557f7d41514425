import http from "node:http";
import https from "node:https";

const defaultSilenceMs = 15_000;
const longest = 300_000;

/** The minio client sets no time-outs. This ends a request that is silent or takes too long. */
export function boundedTransport(secure: boolean, silenceMs = defaultSilenceMs) {
  const agent = secure ? new https.Agent({ keepAlive: true, maxSockets: 50 }) : new http.Agent({ keepAlive: true, maxSockets: 50 });
  const send = secure ? https.request : http.request;
  const request = (options: http.RequestOptions, onResponse?: (response: http.IncomingMessage) => void): http.ClientRequest => {
    const sent = send({ ...options, agent, timeout: silenceMs }, onResponse);
    sent.on("timeout", () => sent.destroy(new Error(`nothing was sent or received for ${silenceMs / 1000} s`)));
    const tooLong = setTimeout(() => sent.destroy(new Error(`not done after ${longest / 1000} s`)), longest).unref();
    sent.on("close", () => clearTimeout(tooLong));
    return sent;
  };
  return { request, agent };
}
