// Finds an import's accepted activities that are unusual. It keeps at most 28 bytes of each row, and asks for the ledger's figures only
// after the last row, so that an import records its rows without waiting for the tables.
import { groupedBy } from "../domain/groupedBy.js";
import { instantOf } from "../domain/imports/timestamp.js";
import { unusualLimits as limits, similarCode, type UnusualKind, unusualKinds } from "../domain/imports/unusual.js";
import { rangesOf } from "../domain/ranges.js";
import { createDoubleList, createInt32List, createTextNumbers } from "../domain/rows/compactLists.js";
import type { UnusualOfKind } from "../events/importEvents.js";
import { createRepeatFinder, type RepeatLookUp } from "./repeatedRows.js";
import type { CodeField, UsualFigures } from "./usualFigures.js";

export interface UnusualSubject {
  readonly pushedAt: Date;
  readonly source: "data" | "file";
  /** The kinds that the organisation has switched off. */
  readonly disabledKinds: readonly UnusualKind[];
}

/** The result of `find`. It has more than an import records, for people who look at the file. An `index` counts the added rows from 0. */
export type UnusualRows = NonNullable<Awaited<ReturnType<ReturnType<typeof createUnusualFinder>["find"]>>>;

const codeBits = 14;
const codeMask = (1 << codeBits) - 1;
/** A row's mark has the numbers of its charge code and its warehouse code, and above them these two bits. */
const [offTimeBit, noCustomerBit] = [1 << (2 * codeBits), 1 << (2 * codeBits + 1)];
const hourMs = 3_600_000;

export function createUnusualFinder({ pushedAt, source, disabledKinds }: UnusualSubject) {
  const isEnabled = (kind: UnusualKind) => !disabledKinds.includes(kind);
  const [earliest, latest] = [pushedAt.getTime() - limits.daysBefore * 24 * hourMs, pushedAt.getTime() + limits.hoursAfter * hourMs];
  const [rows, marks, quantities] = [createInt32List(), createInt32List(), createDoubleList()];
  const [chargeCodes, warehouseCodes] = [createTextNumbers(limits.maxCodes), createTextNumbers(limits.maxCodes)];
  const largestQuantities: number[] = []; // by charge code
  const repeats = source === "file" && isEnabled("repeated") ? createRepeatFinder() : undefined;
  let lacksCustomers = false;
  return {
    add(row: number, values: Readonly<Record<string, unknown>>): void {
      const quantity = Number(values["quantity"]);
      const chargeCode = chargeCodes.numberOf(String(values["chargeCode"]));
      let mark = (chargeCode << codeBits) | warehouseCodes.numberOf(String(values["warehouseCode"]));
      const instant = instantOf(String(values["activityTimestamp"]), "UTC") ?? earliest;
      if (instant < earliest || instant > latest) mark |= offTimeBit;
      if (values["customerId"] === undefined) {
        mark |= noCustomerBit;
        lacksCustomers = true;
      }
      largestQuantities[chargeCode] = Math.max(largestQuantities[chargeCode] ?? Number.NEGATIVE_INFINITY, quantity);
      rows.push(row);
      marks.push(mark);
      quantities.push(quantity);
      repeats?.add(values, instant);
    },
    /** Undefined where nothing is unusual. */
    async find(figures: UsualFigures) {
      if (rows.length === 0) return undefined;
      const codes = await judgeCodes(figures, { chargeCodes: chargeCodes.texts, warehouseCodes: warehouseCodes.texts, largestQuantities });
      const expectsCustomer = lacksCustomers && isEnabled("noCustomer") && isCustomerUsual(await figures.lastActivities());
      const repeatLookUp = await repeats?.find(figures);
      const isOfKind: Readonly<Record<UnusualKind, (index: number, mark: number) => boolean>> = {
        newCode: (_, mark) => codes.chargeCodes.isNew((mark >>> codeBits) & codeMask) || codes.warehouseCodes.isNew(mark & codeMask),
        quantity: (index, mark) => {
          const quantity = quantities.get(index);
          return quantity < 0 || quantity > codes.limitOf((mark >>> codeBits) & codeMask);
        },
        time: (_, mark) => (mark & offTimeBit) !== 0,
        noCustomer: (_, mark) => expectsCustomer && (mark & noCustomerBit) !== 0,
        repeated: (index) => repeatLookUp?.isRepeated(index) ?? false,
      };
      const tallies = unusualKinds.filter(isEnabled).map((kind) => ({ kind, isOfKind: isOfKind[kind], count: 0, first: [] as number[] }));
      let count = 0;
      for (let index = 0; index < rows.length; index += 1) {
        const mark = marks.get(index);
        let isUnusual = false;
        for (const tally of tallies) {
          if (!tally.isOfKind(index, mark)) continue;
          isUnusual = true;
          tally.count += 1;
          if (tally.first.length < limits.maxRecordedRows) tally.first.push(index);
        }
        if (isUnusual) count += 1;
      }
      if (count === 0) return undefined;
      const nearCodeOf = (index: number) =>
        codes.chargeCodes.near((marks.get(index) >>> codeBits) & codeMask) ?? codes.warehouseCodes.near(marks.get(index) & codeMask);
      const kinds = tallies.flatMap(({ kind, count, first }): UnusualOfKind[] => {
        if (count === 0) return [];
        const near = kind === "newCode" ? rowsByNearCode(first, rows.get, nearCodeOf) : [];
        const sameAs = kind === "repeated" && repeatLookUp ? repeatsByImport(first, rows.get, repeatLookUp) : [];
        const extra = { ...(near.length > 0 && { near }), ...(sameAs.length > 0 && { sameAs }) };
        return [{ kind, count, rows: rangesOf(first.map(rows.get)), ...extra }];
      });
      return {
        /** How many rows are unusual; a row of several kinds is counted once. */
        count,
        kinds,
        rowOf: rows.get,
        kindsOf: (index: number) => tallies.filter(({ isOfKind }) => isOfKind(index, marks.get(index))).map(({ kind }) => kind),
        /** The row's new codes, each with the known code that was perhaps meant. */
        newCodesOf(index: number) {
          const numbers = { chargeCode: (marks.get(index) >>> codeBits) & codeMask, warehouseCode: marks.get(index) & codeMask };
          return codeFields.flatMap((field) => {
            const [number, fieldCodes] = [numbers[field], codes[`${field}s`]];
            return fieldCodes.isNew(number) ? [{ field, near: fieldCodes.near(number) }] : [];
          });
        },
        /** The import of the earliest recorded activity that the row repeats, if any. */
        repeatedImportOf: (index: number) => repeatLookUp?.sameAs(index)?.importId,
      };
    },
  };
}

const codeFields = ["chargeCode", "warehouseCode"] as const satisfies readonly CodeField[];

const codesPerQuery = 1_000;

interface Codes {
  readonly chargeCodes: readonly string[];
  readonly warehouseCodes: readonly string[];
  /** The largest quantity of each charge code, by its number. */
  readonly largestQuantities: readonly number[];
}

async function judgeCodes(figures: UsualFigures, { chargeCodes, warehouseCodes, largestQuantities }: Codes) {
  const [newCharges, newWarehouses] = [new Set<number>(), new Set<number>()];
  const quantityLimits: number[] = [];
  const largeCodes: number[] = []; // the numbers of charge codes whose largest quantity may be unusual
  for (let from = 0; from < Math.max(chargeCodes.length, warehouseCodes.length); from += codesPerQuery) {
    const part = {
      chargeCodes: chargeCodes.slice(from, from + codesPerQuery),
      warehouseCodes: warehouseCodes.slice(from, from + codesPerQuery),
    };
    const answer = await figures.codes(part);
    for (const [index, { known, usual }] of answer.chargeCodes.entries()) {
      const number = from + index + 1; // codes are numbered from 1
      if (!known && answer.enough) newCharges.add(number);
      if (known && (largestQuantities[number] ?? 0) > (usual ?? Number.NEGATIVE_INFINITY)) largeCodes.push(number);
    }
    for (const [index, { known }] of answer.warehouseCodes.entries()) if (!known && answer.enough) newWarehouses.add(from + index + 1);
  }
  for (let from = 0; from < largeCodes.length; from += codesPerQuery) {
    const part = largeCodes.slice(from, from + codesPerQuery);
    const partLimits = await figures.quantityLimits(part.map((number) => chargeCodes[number - 1] as string));
    for (const [index, number] of part.entries()) quantityLimits[number] = partLimits[index] ?? Number.POSITIVE_INFINITY;
  }
  return {
    limitOf: (number: number) => quantityLimits[number] ?? Number.POSITIVE_INFINITY,
    chargeCodes: await judgeNewCodes(figures, "chargeCode", newCharges, chargeCodes),
    warehouseCodes: await judgeNewCodes(figures, "warehouseCode", newWarehouses, warehouseCodes),
  };
}

/** Looks for similar known codes. Only for the first new codes, since comparing thousands with each known code would take long. */
async function judgeNewCodes(figures: UsualFigures, field: CodeField, newNumbers: ReadonlySet<number>, codes: readonly string[]) {
  const near = new Map<number, string>();
  const known = newNumbers.size > 0 ? await figures.knownCodes(field) : [];
  for (const number of [...newNumbers].slice(0, limits.maxComparedCodes)) {
    const code = similarCode(codes[number - 1] as string, known);
    if (code !== undefined) near.set(number, code);
  }
  return { isNew: (number: number) => newNumbers.has(number), near: (number: number) => near.get(number) };
}

const isCustomerUsual = ({ rows, withCustomer }: { rows: number; withCustomer: number }): boolean =>
  rows >= limits.minLastActivities && withCustomer * 100 >= rows * limits.percentWithCustomer;

function rowsByNearCode(first: readonly number[], rowOf: (index: number) => number, nearCodeOf: (index: number) => string | undefined) {
  const indexesByCode = groupedBy(first, nearCodeOf);
  return [...indexesByCode].map(([code, indexes]) => ({ code, rows: rangesOf(indexes.map(rowOf)) }));
}

function repeatsByImport(first: readonly number[], rowOf: (index: number) => number, repeatLookUp: RepeatLookUp) {
  const repeats = first.map((index) => ({ row: rowOf(index), same: repeatLookUp.sameAs(index) }));
  const byImport = groupedBy(repeats, (each) => each.same?.importId);
  return [...byImport].map(([importId, rows]) => ({
    importId,
    rows: rows.map((each) => [each.row, each.same?.row ?? 0] as [number, number]),
  }));
}
