// Open pages of the portal: connections that read their event streams, fetch their page again when they are told to, and count the bytes.
import { request } from "node:http";
import process from "node:process";

let bytes = 0;

async function fetchAgain(address, cookie) {
  const page = await fetch(address, { headers: { cookie, accept: "text/html" } });
  bytes += (await page.arrayBuffer()).byteLength;
}

function openTab({ url, cookie, path }) {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { headers: { cookie, accept: "text/event-stream" }, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${path}: ${answer.statusCode}`));
      answer.on("data", (chunk) => {
        bytes += chunk.length;
        if (chunk.includes("data: ")) fetchAgain(`${url}${path.replace("/live", "")}`, cookie).catch(() => undefined);
      });
      answer.on("error", () => undefined);
      resolve();
    });
    asked.on("error", reject);
    asked.end();
  });
}

process.on("message", (asked) => {
  if (asked === "close") return process.send({ bytes }, () => process.exit());
  const { url, tabs, cookies, addresses } = asked;
  const opened = Array.from({ length: tabs }, (_, n) =>
    openTab({ url, cookie: cookies[n % cookies.length], path: addresses[n % addresses.length] }),
  );
  Promise.all(opened).then(
    () => process.send({}),
    (error) => process.send({ error: error.message }),
  );
});
