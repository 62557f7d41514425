// Finds the accepted activities of an import that are unusual. Of each row 24 bytes are kept. The ledger is read once, after the last row, so that
// an import does not wait for the tables before its own rows are recorded.

import { groupedBy } from "../domain/groupedBy.js";
import { instantOf } from "../domain/imports/timestamp.js";
import { unusualLimits as limits, nearCode, type UnusualKind, unusualKinds } from "../domain/imports/unusual.js";
import { rangesOf } from "../domain/ranges.js";
import { createDoubleList, createIntList, createTextNumbers } from "../domain/rows/compactLists.js";
import type { UnusualOfKind } from "../events/importEvents.js";
import { createRepeatFinder, type RepeatLookUp } from "./repeatedRows.js";
import type { CodeField, UsualFigures } from "./usualFigures.js";

export interface UnusualSubject {
  /** When the rows were pushed. */
  readonly at: Date;
  readonly source: "data" | "file";
  /** The kinds that the organisation has switched off. */
  readonly off: readonly UnusualKind[];
}

/** More than is recorded, for people who look at the file. `index`: of the rows in the order in which they were added. */
export type FoundUnusual = NonNullable<Awaited<ReturnType<ReturnType<typeof createUnusualFinder>["find"]>>>;

const codeBits = 14;
const codeMask = (1 << codeBits) - 1;
const [isOffTime, isWithoutCustomer] = [1 << (2 * codeBits), 1 << (2 * codeBits + 1)];
const hourMs = 3_600_000;

export function createUnusualFinder({ at, source, off }: UnusualSubject) {
  const isOn = (kind: UnusualKind) => !off.includes(kind);
  const [earliest, latest] = [at.getTime() - limits.daysBefore * 24 * hourMs, at.getTime() + limits.hoursAfter * hourMs];
  const [rows, marks, quantities] = [createIntList(), createIntList(), createDoubleList()];
  const [chargeCodes, warehouseCodes] = [createTextNumbers(limits.codesPerFile), createTextNumbers(limits.codesPerFile)];
  const largest: number[] = []; // by charge code
  const repeats = source === "file" && isOn("repeated") ? createRepeatFinder() : undefined;
  let withoutCustomer = false;
  return {
    add(row: number, values: Readonly<Record<string, unknown>>): void {
      const quantity = Number(values["quantity"]);
      const chargeCode = chargeCodes.of(String(values["chargeCode"]));
      let mark = (chargeCode << codeBits) | warehouseCodes.of(String(values["warehouseCode"]));
      const instant = instantOf(String(values["activityTimestamp"]), "UTC") ?? earliest;
      if (instant < earliest || instant > latest) mark |= isOffTime;
      if (values["customerId"] === undefined) {
        mark |= isWithoutCustomer;
        withoutCustomer = true;
      }
      largest[chargeCode] = Math.max(largest[chargeCode] ?? Number.NEGATIVE_INFINITY, quantity);
      rows.push(row);
      marks.push(mark);
      quantities.push(quantity);
      repeats?.add(values, instant);
    },
    /** Undefined where nothing is unusual. */
    async find(figures: UsualFigures) {
      if (rows.length === 0) return undefined;
      const judged = await codeJudgements(figures, { chargeCodes: chargeCodes.all, warehouseCodes: warehouseCodes.all, largest });
      const customersUsual = withoutCustomer && isOn("noCustomer") && isCustomerUsual(await figures.lastActivities());
      const found = await repeats?.find(figures);
      const is: Readonly<Record<UnusualKind, (index: number, mark: number) => boolean>> = {
        newCode: (_, mark) => judged.chargeCodes.isNew((mark >>> codeBits) & codeMask) || judged.warehouseCodes.isNew(mark & codeMask),
        quantity: (index, mark) => {
          const quantity = quantities.get(index);
          return quantity < 0 || quantity > judged.limitOf((mark >>> codeBits) & codeMask);
        },
        time: (_, mark) => (mark & isOffTime) !== 0,
        noCustomer: (_, mark) => customersUsual && (mark & isWithoutCustomer) !== 0,
        repeated: (index) => found?.isRepeated(index) ?? false,
      };
      const tallies = unusualKinds.filter(isOn).map((kind) => ({ kind, is: is[kind], count: 0, first: [] as number[] }));
      let count = 0;
      for (let index = 0; index < rows.length; index += 1) {
        const mark = marks.get(index);
        let isUnusual = false;
        for (const tally of tallies) {
          if (!tally.is(index, mark)) continue;
          isUnusual = true;
          tally.count += 1;
          if (tally.first.length < limits.recordedRows) tally.first.push(index);
        }
        if (isUnusual) count += 1;
      }
      if (count === 0) return undefined;
      const nearOf = (index: number) =>
        judged.chargeCodes.near((marks.get(index) >>> codeBits) & codeMask) ?? judged.warehouseCodes.near(marks.get(index) & codeMask);
      const kinds = tallies.flatMap(({ kind, count, first }): UnusualOfKind[] => {
        if (count === 0) return [];
        const near = kind === "newCode" ? nearCodes(first, rows.get, nearOf) : [];
        const sameAs = kind === "repeated" && found ? sameRows(first, rows.get, found) : [];
        const extra = { ...(near.length > 0 && { near }), ...(sameAs.length > 0 && { sameAs }) };
        return [{ kind, count, rows: rangesOf(first.map(rows.get)), ...extra }];
      });
      return {
        /** How many rows, each once. */
        count,
        kinds,
        rowOf: rows.get,
        kindsOf: (index: number) => tallies.filter(({ is }) => is(index, marks.get(index))).map(({ kind }) => kind),
        /** Those of the row's codes that are new, each with the known one that was perhaps meant. */
        newCodesOf(index: number) {
          const numbers = { chargeCode: (marks.get(index) >>> codeBits) & codeMask, warehouseCode: marks.get(index) & codeMask };
          return codeFields.flatMap((field) => {
            const [number, of] = [numbers[field], judged[`${field}s`]];
            return of.isNew(number) ? [{ field, near: of.near(number) }] : [];
          });
        },
        /** The import of the earliest activity that the row repeats, where it repeats one. */
        repeatedOf: (index: number) => found?.sameAs(index)?.importId,
      };
    },
  };
}

const codeFields = ["chargeCode", "warehouseCode"] as const satisfies readonly CodeField[];

const codesAtOnce = 1_000;

interface Codes {
  readonly chargeCodes: readonly string[];
  readonly warehouseCodes: readonly string[];
  /** The largest quantity of each charge code, by its number. */
  readonly largest: readonly number[];
}

async function codeJudgements(figures: UsualFigures, { chargeCodes, warehouseCodes, largest }: Codes) {
  const [newCharges, newWarehouses] = [new Set<number>(), new Set<number>()];
  const limitOf: number[] = [];
  const unclear: number[] = [];
  for (let from = 0; from < Math.max(chargeCodes.length, warehouseCodes.length); from += codesAtOnce) {
    const part = {
      chargeCodes: chargeCodes.slice(from, from + codesAtOnce),
      warehouseCodes: warehouseCodes.slice(from, from + codesAtOnce),
    };
    const answer = await figures.codes(part);
    for (const [index, { known, usual }] of answer.chargeCodes.entries()) {
      const number = from + index + 1;
      if (!known && answer.enough) newCharges.add(number);
      if (known && (largest[number] ?? 0) > (usual ?? Number.NEGATIVE_INFINITY)) unclear.push(number);
    }
    for (const [index, { known }] of answer.warehouseCodes.entries()) if (!known && answer.enough) newWarehouses.add(from + index + 1);
  }
  for (let from = 0; from < unclear.length; from += codesAtOnce) {
    const part = unclear.slice(from, from + codesAtOnce);
    const limits = await figures.quantityLimits(part.map((number) => chargeCodes[number - 1] as string));
    for (const [index, number] of part.entries()) limitOf[number] = limits[index] ?? Number.POSITIVE_INFINITY;
  }
  return {
    limitOf: (number: number) => limitOf[number] ?? Number.POSITIVE_INFINITY,
    chargeCodes: { isNew: (number: number) => newCharges.has(number), near: await nearOf(figures, "chargeCode", newCharges, chargeCodes) },
    warehouseCodes: {
      isNew: (number: number) => newWarehouses.has(number),
      near: await nearOf(figures, "warehouseCode", newWarehouses, warehouseCodes),
    },
  };
}

/** Looks for the first new codes only: comparing each of thousands with each known one would take long. */
async function nearOf(figures: UsualFigures, field: CodeField, fresh: ReadonlySet<number>, codes: readonly string[]) {
  const near = new Map<number, string>();
  const known = fresh.size > 0 ? await figures.knownCodes(field) : [];
  for (const number of [...fresh].slice(0, limits.recordedNear)) {
    const code = nearCode(codes[number - 1] as string, known);
    if (code !== undefined) near.set(number, code);
  }
  return (number: number) => near.get(number);
}

const isCustomerUsual = ({ rows, withCustomer }: { rows: number; withCustomer: number }): boolean =>
  rows >= limits.leastLastActivities && withCustomer * 100 >= rows * limits.percentWithCustomer;

function nearCodes(first: readonly number[], rowOf: (index: number) => number, nearOf: (index: number) => string | undefined) {
  const rows = groupedBy(first, nearOf);
  return [...rows].map(([code, own]) => ({ code, rows: rangesOf(own.map(rowOf)) }));
}

function sameRows(first: readonly number[], rowOf: (index: number) => number, found: RepeatLookUp) {
  const same = first.map((index) => ({ row: rowOf(index), same: found.sameAs(index) }));
  const byImport = groupedBy(same, (each) => each.same?.importId);
  return [...byImport].map(([importId, rows]) => ({
    importId,
    rows: rows.map((each) => [each.row, each.same?.row ?? 0] as [number, number]),
  }));
}
