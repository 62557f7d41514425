// Helpers for the page of rejected rows in a real browser, with a worker and a projector running.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { type OpenedPage, useBrowser } from "../../../support/browser/browser.js";
import { sharedService } from "../../../support/browser/sharedService.js";
import { signedIn, type TestMember } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import type { TestOrganisation, TestService } from "../../../support/service.js";

export async function opened(page: Page, address = "/portal/corrections"): Promise<void> {
  await page.goto(address);
  await page.getByRole("heading", { level: 1, name: "Rejected rows" }).waitFor();
  await page.getByRole("grid").getByRole("row").nth(1).waitFor();
}

/** The cell of a field in the row with this number. */
export async function cell(page: Page, row: number, heading: string) {
  const columns = await page.locator("[role=grid] [role=columnheader]").allTextContents();
  return page
    .locator(".grid-row:not(.head)")
    .filter({ has: page.locator("[role=rowheader]", { hasText: new RegExp(`^${row}$`) }) })
    .locator(".cell")
    .nth(columns.indexOf(heading));
}

/** Waits until the cell has this value: a change is drawn with the next frame. */
export const holds = async (page: Page, row: number, heading: string, value: string) =>
  expect.poll(async () => (await cell(page, row, heading)).textContent()).toBe(value);
export const listsRows = (page: Page, rows: readonly string[]) =>
  expect.poll(() => page.getByRole("grid").getByRole("rowheader").allTextContents()).toEqual(rows);

const problem = async (page: Page, row: number) => cell(page, row, "Problem");

export async function says(page: Page, row: number, text: string | RegExp): Promise<void> {
  await (await problem(page, row)).filter({ hasText: text }).waitFor();
}

export async function write(page: Page, row: number, heading: string, value: string): Promise<void> {
  await (await cell(page, row, heading)).click();
  await page.keyboard.press("Delete");
  await page.keyboard.type(value);
  await page.keyboard.press("Enter");
}

export const submitButton = (page: Page) => page.getByRole("button", { name: "Submit corrections" });

/** Submits what is ready. */
export async function submitAll(page: Page): Promise<void> {
  await submitButton(page).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Submit / })
    .click();
}

/** Makes the page read the states of its rows twice, as when its window gets the focus. The second read begins when the first is shown. */
export async function lookTwice(page: Page): Promise<void> {
  for (const _ of ["asked", "shown"])
    await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith("/portal/corrections/states")),
      page.evaluate("dispatchEvent(new Event('focus'))"),
    ]);
}

export async function ledger(organisation: TestOrganisation, kind: "activities" | "shipments") {
  return ((await (await organisation.get(`/v1/org/ledger/${kind}`)).json()) as { items: Record<string, unknown>[] }).items;
}

const kinds = { activities: "/v1/org/fulfilment", shipments: "/v1/org/shipments" } as const;
const header = "shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";

const activityHeader = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference";

export type CorrectionsStage = ReturnType<typeof useCorrections>;

/** Starts the stage for all tests of a file. */
export function useCorrections() {
  const browser = useBrowser();
  let service: TestService;
  let worker: Role;
  let projector: Role;
  beforeAll(async () => {
    service = await sharedService();
    [worker, projector] = [startWorker(service), startProjector(service)];
  });
  afterAll(async () => {
    await Promise.all([worker?.stop(), projector?.stop()]);
  });

  /** Runs `work` while no worker runs, so that submitted imports wait. */
  async function withoutWorker(work: () => Promise<void>): Promise<void> {
    await worker.stop();
    try {
      await work();
    } finally {
      worker = startWorker(service);
    }
  }

  async function withoutProjector(work: () => Promise<void>): Promise<void> {
    await projector.stop();
    try {
      await work();
    } finally {
      projector = startProjector(service);
    }
  }

  async function completed(importId: string): Promise<void> {
    await until("the import is projected", async () => {
      const { rows } = await service.pool.query("select from imports where import_id = $1 and status = 'completed'", [importId]);
      return rows.length === 1;
    });
  }

  /** Pushes activities that are rejected for an unknown customer. Returns the import's id. */
  async function rejectedActivities(organisation: TestOrganisation, count: number): Promise<string> {
    const bad = {
      warehouseCode: "SYD1",
      chargeCode: "PICK",
      quantity: 1,
      activityTimestamp: "2026-03-01T09:30:00Z",
      customerId: "CUST-999",
    };
    const activities = Array.from({ length: count }, (_, index) => ({ ...bad, reference: `R-${index + 1}` }));
    const answer = await organisation.post(`${kinds.activities}/activities`, { sourceDetails: "Nightly picks", activities });
    const { importId } = (await answer.json()) as { importId: string };
    await completed(importId);
    return importId;
  }

  /** Uploads lines of warehouse code, charge code, quantity, time, customer and reference. The first one is row 2. */
  async function uploadedActivities(organisation: TestOrganisation, lines: readonly string[]): Promise<string> {
    const file = new File([[activityHeader, ...lines].join("\n")], "picks.csv");
    const answer = await organisation.upload(`${kinds.activities}/activities/file`, file, { sourceDetails: "Monday picks" });
    expect(answer.status).toBe(202);
    const { importId } = (await answer.json()) as { importId: string };
    await completed(importId);
    return importId;
  }

  async function rejectedShipments(organisation: TestOrganisation, lines: readonly string[]): Promise<string> {
    const file = new File([[header, ...lines].join("\n")], "monday.csv");
    const answer = await organisation.upload(`${kinds.shipments}/imports/file`, file, { sourceDetails: "Monday orders" });
    const { importId } = (await answer.json()) as { importId: string };
    await completed(importId);
    return importId;
  }

  /** How many rows of the import are dismissed according to the tables. */
  const finishedRows = async (importId: string) =>
    (await service.pool.query("select from finished_rows where import_id = $1", [importId])).rowCount;

  /** Runs `work` as this member. Members share one page, one after the other; with another `keep` a member has a page of their own. */
  async function asMember<Result>(member: TestMember, work: (opened: OpenedPage) => Promise<Result>, keep = "member"): Promise<Result> {
    return browser.inPage({ origin: service.url, keep }, async (opened) => {
      const { cookies } = await signedIn(service, member);
      await opened.page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: `${service.url}/portal` })));
      const result = await work(opened);
      expect(opened.faults).toEqual([]);
      return result;
    });
  }

  return {
    get service() {
      return service;
    },
    ...{ browser, withoutWorker, withoutProjector, rejectedActivities, uploadedActivities, rejectedShipments, finishedRows, asMember },
  };
}
