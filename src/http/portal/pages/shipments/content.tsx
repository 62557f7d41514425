import { Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { Customer, type NameOfCustomer } from "../activities/names.js";
import { customTexts, fieldTexts, lineTexts, routeInWords, type ShipmentContent } from "./words.js";

/** A shipment may have thousands of lines. */
const shownLines = 200;

interface ContentProps {
  readonly content: ShipmentContent;
  readonly nameOfCustomer: NameOfCustomer;
}

export function Content({ content: { fields, items }, nameOfCustomer }: ContentProps) {
  const customerId = fields["customerId"];
  const custom = customTexts(fields);
  return (
    <>
      <section class="panel" aria-labelledby="shipment">
        <h2 id="shipment">{routeInWords(fields)}</h2>
        <p>
          <Customer customerId={typeof customerId === "string" ? customerId : null} nameOf={nameOfCustomer} />
        </p>
        <dl class="facts">
          {fieldTexts(fields)
            .filter(([label]) => !custom.some(([name]) => name === label))
            .map(([label, text]) => (
              <div>
                <dt>{label}</dt>
                <dd>{text}</dd>
              </div>
            ))}
        </dl>
      </section>
      {custom.length === 0 ? null : (
        <section class="panel" aria-labelledby="custom">
          <h2 id="custom">Custom fields</h2>
          <dl class="facts">
            {custom.map(([label, text]) => (
              <div>
                <dt>{label.replace("Custom field ", "")}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <section class="panel" aria-labelledby="lines">
        <h2 id="lines">
          Lines (<Amount value={items.length} />)
        </h2>
        <Table
          caption="The goods of this shipment"
          columns={[
            { heading: "Line", names: true, cell: ({ number }: Line) => number },
            ...lineTexts({}).map(([heading], index) => ({
              heading,
              number: index > 0,
              cell: ({ item }: Line) => lineTexts(item)[index]?.[1] || "-",
            })),
          ]}
          rows={items.slice(0, shownLines).map((item, index): Line => ({ item, number: index + 1 }))}
        />
        {items.length > shownLines ? (
          <p class="muted">
            The first <Amount value={shownLines} /> are shown.
          </p>
        ) : null}
      </section>
    </>
  );
}

interface Line {
  readonly item: unknown;
  readonly number: number;
}
