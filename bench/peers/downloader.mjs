// Downloads a file again and again and keeps nothing of it, until the parent goes away. First a small one, of which the parent is told: a client
// runs cold code then, which takes the cores that the service needs, and a browser is on a machine of its own.
process.once("message", async ({ url, small, cookie }) => {
  const pieces = async function* (from) {
    const response = await fetch(from, { headers: { cookie } });
    if (response.status !== 200) throw new Error(`${from}: ${response.status} ${await response.text()}`);
    yield* response.body;
  };
  for await (const _ of pieces(small));
  process.send("warm");
  while (process.connected) for await (const _ of pieces(url)) if (!process.connected) process.exit(0);
});
