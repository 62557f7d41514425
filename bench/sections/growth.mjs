// The same import into an empty service and a full one, and the same rows from one organisation and from many.
import { join } from "node:path";
import { csvFile } from "../files.mjs";
import { makeOrganisations } from "../organisations.mjs";
import { push, startService, untilEnded } from "../service.mjs";
import { importOnce } from "./imports.mjs";

const rate = (rows, ms) => Math.round((rows / ms) * 1000);

/** Pushes the file with each key and waits until the last import has ended. Returns rows per second. */
async function importMany(service, file, keys) {
  const startedAt = performance.now();
  const pushed = [];
  for (const key of keys) pushed.push({ key, ...(await push(service, "/v1/org/fulfilment", file.path, key)) });
  await Promise.all(pushed.map(({ statusUrl, key }) => untilEnded(service, statusUrl, { key })));
  return rate(file.rows * keys.length, performance.now() - startedAt);
}

export async function growthSection({ folder, full, say }) {
  const organisations = full ? 200 : 20;
  const filling = await csvFile(folder, "activities", full ? undefined : 150_000);
  const times = full ? 6 : 1;
  const rows = filling.rows * times;
  const file = await csvFile(folder, "activities", full ? 200_000 : 50_000);
  const small = await csvFile(folder, "activities", 1_000);
  const service = await startService({ folder: join(folder, "service") });
  try {
    await importOnce(service, small);
    say("growth: an import into an empty service");
    const empty = await importOnce(service, file);
    const onTheWay = [];
    for (let n = 1; n <= times; n += 1) {
      say(`growth: filling, ${n} of ${times}`);
      const { rows: more, ms, processes } = await importOnce(service, filling);
      onTheWay.push({ rowsPerSecond: rate(more, ms), processes });
    }
    say(`growth: the same with ${rows} rows there`);
    const filled = await importOnce(service, file);
    say(`growth: ${organisations} imports of one organisation, then of as many organisations`);
    const keys = await makeOrganisations(
      service,
      Array.from({ length: organisations }, (_, n) => `org-${n}`),
    );
    const one = await importMany(
      service,
      small,
      keys.map(() => keys[0]),
    );
    const many = await importMany(service, small, keys);
    return {
      rows,
      organisations,
      onTheWay,
      empty: rate(empty.rows, empty.ms),
      filled: rate(filled.rows, filled.ms),
      oneOrganisation: one,
      manyOrganisations: many,
    };
  } finally {
    await service.stop();
  }
}
