// Browsers that leave a download at every moment, the first milliseconds above all: none of them keeps a place.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { openSource } from "../../support/portal/eventSource.js";
import type { Visitor } from "../../support/portal/portal.js";
import { useActivities } from "./activitiesStage.js";

const stage = useActivities();
const files = ["rows.csv", "rows.xlsx", "totals.csv"].map((file) => `/portal/activities/${file}?month=2021-01`);

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** When the socket is destroyed, from the moment on at which the request is sent. */
const moments: Readonly<Record<string, (socket: Socket) => Promise<unknown>>> = {
  "at once": async () => undefined,
  "after a turn": turn,
  "after ten turns": async () => {
    for (let n = 0; n < 10; n += 1) await turn();
  },
  "while its session is looked up": () => new Promise((resolve) => setTimeout(resolve, 2)),
  "while its first rows are read": () => new Promise((resolve) => setTimeout(resolve, 15)),
  "with the headers": (socket) => once(socket, "data"),
  "in the middle": async (socket) => {
    for (let bytes = 0; bytes < 100_000; ) bytes += ((await once(socket, "data")) as [Buffer])[0].length;
  },
};

async function leave(who: Visitor, path: string, moment: (socket: Socket) => Promise<unknown>): Promise<void> {
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { port, hostname } = new URL(stage.service.url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\nconnection: close\r\n\r\n`);
  await Promise.race([moment(socket), once(socket, "close")]);
  socket.destroy();
}

test.each(Object.keys(moments))("a download that is left %s keeps no place: every organisation can download afterwards", async (name) => {
  const moment = moments[name] as (socket: Socket) => Promise<unknown>;
  const browsers = [stage.viewer, stage.stranger];
  // As often as there are places in all: an organisation that kept one each time would keep all of its own.
  for (let round = 0; round < 2; round += 1) for (const path of files) await Promise.all(browsers.map((who) => leave(who, path, moment)));
  for (const who of browsers)
    await eventually(async () => {
      // Both places of the organisation, at the same time: neither answer is read to its end before both have begun.
      const answers = await Promise.all([0, 1].map(() => who.get(files[0] as string)));
      await Promise.all(answers.map((answer) => answer.body?.cancel()));
      return answers.every(({ status }) => status === 200);
    }, "both places of an organisation");
});

test("pages that are left at once keep no place for their streams", async () => {
  for (let n = 0; n < 25; n += 1) await leave(stage.viewer, "/portal/live/imports", moments["at once"] as () => Promise<unknown>);
  const sources = await Promise.all(Array.from({ length: 20 }, () => openSource(stage.viewer, "/portal/live/imports")));
  expect(sources.map(({ status }) => status)).toEqual(sources.map(() => 200));
  await Promise.all(sources.map((source) => source.close()));
});
