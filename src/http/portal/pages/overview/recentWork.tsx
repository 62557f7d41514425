import type { ChargeCodeRows, EndedImports } from "../../../../queries/recentWork.js";
import { Bars, DailyColumns } from "../../shell/plot.js";
import { EmptyState } from "../../shell/table.js";
import { dayInWords, type LastDays } from "./days.js";

interface RecentWorkProps {
  readonly days: LastDays;
  readonly recent: EndedImports;
  readonly chargeCodes: readonly ChargeCodeRows[];
}

const parts = [
  { label: "Accepted", colour: "good" },
  { label: "Rejected", colour: "bad" },
] as const;

export function RecentWork({ days, recent, chargeCodes }: RecentWorkProps) {
  return (
    <>
      <section class="panel" aria-labelledby="rows-per-day">
        <h2 id="rows-per-day">Rows per day</h2>
        <DailyColumns
          title="Rows accepted and rejected, by the day their import ended"
          days={days.names.map((day, index) => {
            const { accepted = 0, rejected = 0 } = recent.days[index] ?? {};
            return { day, values: [accepted, rejected] };
          })}
          parts={parts}
          nameOf={dayInWords}
        />
        {recent.isCut ? <p class="muted">There were so many imports that the oldest of these days are not counted whole.</p> : null}
      </section>
      <section class="panel" aria-labelledby="charge-codes">
        <h2 id="charge-codes">Activities by charge code, last 30 days</h2>
        {chargeCodes.length === 0 ? (
          <EmptyState title="No activities in the last 30 days" />
        ) : (
          <Bars
            bars={chargeCodes.map(({ chargeCode, rows }) => ({ label: chargeCode, value: rows }))}
            unit={["activity", "activities"]}
            plain
          />
        )}
      </section>
    </>
  );
}
