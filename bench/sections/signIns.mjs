// Latency of quotes alone and beside twenty sign-ins a second, in turns: hashing passwords must not hold up the API.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { joinByLink } from "../../dist/commands/members/joinOrganisation.js";
import { inviteMember } from "../../dist/commands/members/manageMembers.js";
import { memberDeps } from "../../dist/main/adapters.js";
import { measure, steady } from "../load.mjs";
import { makeOrganisations, withAdapters } from "../organisations.mjs";
import { startService } from "../service.mjs";

const perSecond = 20;
const password = "seven lazy harbours";
const origin = { by: { kind: "cli", id: "bench" }, correlationId: "bench" };

function makeMembers(service, organisationId) {
  return withAdapters(service, async (adapters) => {
    const deps = memberDeps(adapters);
    const emails = Array.from({ length: 20 }, (_, n) => `member-${n}@${organisationId}.example`);
    for (const email of emails) {
      const { token } = await inviteMember(deps, { organisationId, email, role: "viewer" }, origin);
      await joinByLink(deps, { token, password }, randomUUID());
    }
    return emails;
  });
}

/** Signs in at a steady rate, each time from another address, without waiting for answers. The returned function stops and counts the statuses. */
function signInSteadily(service, emails) {
  const statuses = {};
  const underWay = new Set();
  let count = 0;
  const one = async () => {
    count += 1;
    const body = new URLSearchParams({ email: emails[count % emails.length], password }).toString();
    const address = `198.51.${Math.floor(count / 250) % 250}.${count % 250}`;
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: service.url, "x-forwarded-for": address };
    const response = await fetch(`${service.url}/portal/sign-in`, { method: "POST", headers, body, redirect: "manual" });
    await response.arrayBuffer();
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  };
  const timer = setInterval(() => {
    const call = one()
      .catch(() => {
        statuses.failed = (statuses.failed ?? 0) + 1;
      })
      .finally(() => underWay.delete(call));
    underWay.add(call);
  }, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(underWay);
    return statuses;
  };
}

const quote = JSON.stringify({
  general: { customerIds: ["CUST-001"] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
});

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Quotes are asked for in two ways: `steady` is 100 a second, a busy day; the other is as fast as twenty connections allow. */
export async function signInSection({ folder, full, say, profileDir }) {
  process.env.TRUSTED_PROXIES = "127.0.0.1"; // each sign-in comes from another address
  const service = await startService({ folder: join(folder, "service"), profileDir });
  try {
    const [key] = await makeOrganisations(service, ["sign-ins"], 3);
    const emails = await makeMembers(service, "sign-ins");
    const headers = { "content-type": "application/json", "x-api-key": key };
    const request = { url: `${service.url}/v1/org/quote/getQuote`, method: "POST", headers, body: quote };
    const seconds = full ? 10 : 3;
    const strains = {
      steady: () => steady(request, { perSecond: 100, seconds }),
      "as fast as they go": () => measure(request, { seconds, connections: 20 }),
    };
    const results = [];
    await measure(request, { seconds, connections: 20 });
    for (const [name, quotes] of Object.entries(strains)) {
      const rounds = [];
      for (let round = 0; round < (full ? 7 : 3); round += 1) {
        say(`sign-ins: ${name}, round ${round + 1}`);
        const alone = await quotes();
        const end = signInSteadily(service, emails);
        const beside = await quotes();
        const signIns = await end();
        rounds.push({ alone: alone.p99, beside: beside.p99, signIns });
      }
      results.push({ name, ratio: median(rounds.map(({ alone, beside }) => beside / alone)), rounds });
    }
    return results;
  } finally {
    await service.stop();
  }
}

export function printSignIns(results) {
  for (const { name, ratio, rounds } of results) {
    console.log(`quotes beside ${perSecond} sign-ins a second, ${name}: p99 is ${ratio.toFixed(2)} times that alone (target 2)`);
    for (const { alone, beside, signIns } of rounds)
      console.log(`  ${alone} ms alone, ${beside} ms beside; sign-ins ${JSON.stringify(signIns)}`);
  }
}
