import type { OrganisationFile } from "../domain/catalogue/schema.js";
import type { EventStore, StoredEvent } from "../ports/eventStore.js";
import { type CatalogueChange, type CatalogueFile, changeCatalogue } from "./catalogueChanges.js";
import { decodeOn } from "./codec.js";
import { streamOf } from "./streams.js";

/** One version of an organisation's catalogue, from its stream; undefined when there is no such version. */
export async function catalogueFileAt(events: EventStore, organisationId: string, version: number): Promise<OrganisationFile | undefined> {
  const catalogue = foldCatalogue(version);
  for await (const stored of events.read(streamOf.organisation(organisationId))) {
    const event = decodeOn("organisation", stored);
    if (event?.type === "CatalogueEntryPut" || event?.type === "CatalogueEntryRemoved") catalogue.change(event);
    else if (event?.type === "CatalogueApplied") catalogue.close(event.data);
    if (catalogue.reached()) break;
  }
  return catalogue.reached() ? (catalogue.file() as OrganisationFile | undefined) : undefined;
}

/** Entry events count only when CatalogueApplied follows; those of an interrupted change never count. */
function foldCatalogue(wanted: number) {
  let file: CatalogueFile | undefined;
  let version = 0;
  let open: (CatalogueChange & Pick<StoredEvent, "revision">)[] = [];
  return {
    change(event: CatalogueChange & Pick<StoredEvent, "revision">): void {
      open.push(event);
    },
    close(applied: { version: number; sinceRevision: number }): void {
      const counted = open.filter(({ revision }) => revision >= BigInt(applied.sinceRevision));
      file = changeCatalogue(file, counted);
      open = [];
      version = applied.version;
    },
    reached: () => version === wanted,
    file: () => file,
  };
}
