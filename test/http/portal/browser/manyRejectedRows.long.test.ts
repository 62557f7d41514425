// The grid with 10,000 open rows and with 100: work in it takes about as long.
import type { Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { browserTest, useBrowser } from "../../../support/browser/browser.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import type { TestService } from "../../../support/service.js";

const browser = useBrowser();
let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

/** Makes an organisation with this many rejected rows, written straight into the tables as the projector would. */
async function organisationWith(rows: number): Promise<string> {
  const { id } = await service.organisation();
  const { pool } = service;
  const { rows: found } = await pool.query<{ importId: string }>(
    `insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
       file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
     values (gen_random_uuid(), $1, $2, 'activities', 'data', 'Many', 'completed', 100, $3, 0, $3, 'k', 'x.csv', 1, '', 'cli:test', '[]', now(), now(), 1)
     returning import_id as "importId"`,
    [-rows, id, rows],
  );
  await pool.query(
    `insert into rejections (import_position, "row", handle, error, data)
     select $1, n, 'R-' || n, 'Customer not found', json_build_object('warehouseCode', 'SYD1', 'chargeCode', 'PICK', 'quantity', '1',
       'activityTimestamp', '2026-03-01T09:30:00Z', 'customerId', 'CUST-999', 'reference', 'R-' || n) from generate_series(1, $2::int) as n`,
    [-rows, rows],
  );
  await pool.query(
    `insert into rejection_groups values ($1, md5('Customer not found'), $2, 'activities', $3, 'Customer not found', $4, $4, 0, 0)`,
    [found[0]?.importId, id, -rows, rows],
  );
  return id;
}

const watch = `(() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
})()`;

/** Plain work with 10,000 rows in the same page, in ms: what a long time is on this machine at this moment. */
const plainWork = `(() => {
  const before = performance.now();
  const rows = Array.from({ length: 10_000 }, (_, row) => ({ row, values: { reference: "R-" + row, quantity: "1" } }));
  for (let n = 0; n < 10; n += 1) JSON.parse(JSON.stringify(rows)).sort((one, other) => other.row - one.row);
  return performance.now() - before;
})()`;

interface Measured {
  /** How many elements the grid has. */
  readonly elements: number;
  /** The longest time in ms in which the page did not react, while a value is set in all rows and the grid is scrolled to its end and back. */
  readonly longest: number;
  readonly plainWork: number;
  /** The median time in ms from a key press in a cell to the drawn value. */
  readonly edit: number;
}

async function measure(page: Page, rows: number): Promise<Measured> {
  await page.goto("/portal/corrections");
  await page.getByText(`${rows} rows.`).waitFor();
  await page.evaluate(watch);
  const grid = page.getByRole("grid");
  await expect.poll(() => grid.getAttribute("aria-rowcount")).toBe(String(rows + 1));
  await page.getByRole("checkbox", { name: "Select all rows" }).check();
  await page.getByLabel("Column").selectOption({ label: "Status" });
  await page.getByLabel("Value").fill("checked");
  await page.getByRole("button", { name: "Set for selected rows" }).click();
  await page.getByText(`${rows} changed`).waitFor();
  await page.locator(".grid-row:not(.head) .field").first().click();
  await page.keyboard.press("Control+End");
  await page.getByRole("rowheader", { name: String(rows), exact: true }).waitFor();
  await page.keyboard.press("Control+Home");
  const edits: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    edits.push(
      (await page.evaluate(`(async () => {
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        const before = performance.now();
        press("x");
        press("Enter");
        await painted();
        return performance.now() - before;
      })()`)) as number,
    );
  }
  return {
    plainWork: (await page.evaluate(plainWork)) as number,
    elements: await grid.locator("*").count(),
    longest: Math.max(0, ...((await page.evaluate("globalThis.longTasks")) as number[])),
    edit: edits.toSorted((one, other) => one - other)[3] ?? 0,
  };
}

browserTest(
  "with 10,000 open rows the grid has about as many elements as with 100, edits are about as quick, and nothing stalls",
  async () => {
    const measured: Measured[] = [];
    for (const rows of [100, 10_000]) {
      const member = await addMember(service, await organisationWith(rows), "operator");
      const { cookies } = await signedIn(service, member);
      await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
        await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
        measured.push(await measure(page, rows));
        expect(faults).toEqual([]);
      });
    }
    const [few, many] = measured as [Measured, Measured];
    expect(many.elements).toBeLessThan(few.elements * 1.5);
    // Both are measured in one run: on a busy machine an edit may take a few times as long, but not a hundred times.
    expect(many.edit).toBeLessThan(few.edit * 5 + 50);
    expect(many.longest).toBeLessThan(many.plainWork * 8);
  },
);
