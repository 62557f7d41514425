import { Rejection } from "../../../../domain/rejection.js";
import { quotePlaceOf } from "../../../../events/quoteEvents.js";
import { readQuotes } from "../../../../events/recordedQuote.js";
import { streamOf } from "../../../../events/streams.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { revisionOfRow, streamPage } from "../../../../queries/streamSearch.js";
import type { PageOf } from "../../page.js";
import { Pager } from "../../shell/list.js";
import type { SignedInVisit } from "../../visit.js";
import { requireImport } from "../imports/one.js";
import { importPath, importsPath, shownReference } from "../imports/status.js";
import { quotesPath } from "../quotes/asked.js";
import { Events } from "./events.js";

const eventsPerPage = 25;

/** The events of an import, from the beginning or from a row; those of its corrections by `of=corrections`. */
export const importHistoryPage: PageOf<SignedInVisit> = {
  path: `${importsPath}/{importId}/history`,
  access: "look",
  show: async (visit, deps) => {
    const { view } = await requireImport(visit, deps);
    const { eventStore, pool } = deps;
    const { importId } = view;
    const ofCorrections = visit.query["of"] === "corrections";
    const stream = ofCorrections ? streamOf.corrections(importId) : streamOf.import(importId);
    const row = numberOf(visit.query["row"]);
    const from =
      row === undefined || ofCorrections ? BigInt(numberOf(visit.query["from"]) ?? 0) : await revisionOfRow(eventStore, stream, row);
    const [{ events, next }, nameOf] = await Promise.all([
      streamPage(eventStore, stream, from, eventsPerPage),
      principalNames(pool, visit.person.organisationId),
    ]);
    const path = `${importPath(importId)}/history`;
    return {
      title: "History",
      body: (
        <>
          <p class="under-heading">
            <a href={visit.links.to(importPath(importId))}>{shownReference(view)}</a>
            {ofCorrections ? (
              <a href={visit.links.to(path)}>Events of the import</a>
            ) : (
              <a href={visit.links.to(`${path}?of=corrections`)}>Events of its corrections</a>
            )}
          </p>
          <section class="panel" aria-label="Events">
            <Events visit={visit} events={events} nameOf={nameOf} />
            <Pager
              of="events"
              cursor={from > 0n ? String(from) : undefined}
              nextCursor={next === null ? null : String(next)}
              address={(revision) => visit.links.to(path, { of: ofCorrections ? "corrections" : undefined, from: revision })}
            />
          </section>
        </>
      ),
    };
  },
};

const numberOf = (text: string | undefined): number | undefined => (/^\d{1,12}$/.test(text ?? "") ? Number(text) : undefined);

export const quoteHistoryPage: PageOf<SignedInVisit> = {
  path: `${quotesPath}/{quoteId}/history`,
  access: "look",
  show: async (visit, { eventStore, pool }) => {
    const { organisationId } = visit.person;
    const quoteId = visit.params["quoteId"] ?? "";
    const place = quotePlaceOf(quoteId);
    const found = place && (await readQuotes(eventStore, place));
    if (!found || found.data.organisationId !== organisationId) throw new Rejection("notFound", "There is no quote with this id");
    const stream = streamOf[place.number === 0 ? "quote" : "quotes"](place.quotesId);
    const [{ events }, nameOf] = await Promise.all([
      streamPage(eventStore, stream, 0n, eventsPerPage),
      principalNames(pool, organisationId),
    ]);
    return {
      title: "History",
      body: (
        <>
          <p class="under-heading">
            <a href={visit.links.to(`${quotesPath}?quote=${encodeURIComponent(quoteId)}`)}>The quote</a>
          </p>
          <section class="panel" aria-label="Events">
            <Events visit={visit} events={events} nameOf={nameOf} />
          </section>
        </>
      ),
    };
  },
};
