import { expect, test } from "vitest";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { useRejectedRows } from "./stage.js";

const stage = useRejectedRows();

interface Found {
  readonly suggestions: { readonly value: string; readonly label?: string; readonly near: boolean }[];
}

test("customers of the own organisation are suggested, near ones first, and no more than eight", async () => {
  const organisation = await stage.service.organisation((file) => {
    const [first] = file.customers;
    if (!first) throw new Error("a customer");
    for (let n = 10; n < 40; n += 1) file.customers.push({ ...first, id: `CUST-0${n}`, name: `Shop ${n}` });
  });
  const viewer = await signedIn(stage.service, await addMember(stage.service, organisation.id, "viewer"));
  const ask = async (query: string, who = viewer) => who.get(`/portal/corrections/suggestions?${query}`, { accept: "application/json" });
  const { suggestions } = (await (await ask("field=customerId&text=cust%2014")).json()) as Found;
  expect(suggestions[0]).toEqual({ value: "CUST-014", label: "Shop 14", near: true });
  expect(suggestions).toHaveLength(8);
  const others = (await (await ask("field=customerId&text=CUST-014", stage.who)).json()) as Found;
  expect(others.suggestions.map(({ value }) => value)).not.toContain("CUST-014");
  expect((await (await ask("field=chargeCode&text=PICK")).json()) as Found).toEqual({ suggestions: [] });
  for (const bad of ["", "field=quantity", "field=constructor&text=x"]) expect((await ask(bad)).status, bad).toBe(400);
  expect((await ask(`field=customerId&text=${"x".repeat(3_000)}`)).status).toBe(200);
});
