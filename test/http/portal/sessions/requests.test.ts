import { BlockList } from "node:net";
import type { Context } from "hono";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../../src/config.js";
import { parseAddressRanges } from "../../../../src/domain/addressRanges.js";
import { safeReturn } from "../../../../src/http/portal/pages/signIn.js";
import { openSealed, sealValue } from "../../../../src/http/portal/sessions/cookies.js";
import { ensureOwnPage, ensureSameOrigin, maskToken } from "../../../../src/http/portal/sessions/sameOrigin.js";
import { clientAddress } from "../../../../src/http/portal/sessions/signInLog.js";

const secret = "a secret of thirty-two characters";
const formToken = "dG9rZW4"; // "token"

describe("the page after a sign-in", () => {
  test.each(["/portal", "/portal/imports", "/portal/settings/keys?revoke=x", "/portal?x=//evil.example"])("%s is followed", (path) => {
    expect(safeReturn(path)).toBe(path);
  });
  test.each([
    undefined,
    "",
    "https://evil.example",
    "//evil.example/portal",
    "/\\evil.example",
    "/portal/..//evil.example",
    "/portal/../../evil",
    "/portal//evil.example",
    "/portal\\..\\evil",
    "/portalevil",
    "/portal\n",
    "javascript:alert(1)",
    "/portal/%2e%2e/v1",
    "/portal/sign-in",
    "/portal/join/x",
    "/portal/sso",
    `/portal/${"x".repeat(2000)}`,
  ])("%j is not followed", (path) => {
    expect(safeReturn(path)).toBe("/portal");
  });
});

describe("a change", () => {
  const publicUrl = "https://waybill.example.com/freight";
  const asked = (headers: Record<string, string>) => ({ req: { header: (name: string) => headers[name] } }) as unknown as Context;
  test.each([
    ["the browser says so", { "sec-fetch-site": "same-origin" }],
    ["the origin is PUBLIC_URL's", { origin: "https://waybill.example.com" }],
    ["the origin is the host asked", { origin: "http://localhost:3000", host: "localhost:3000" }],
  ])("is accepted where %s", (_, headers) => {
    expect(() => ensureSameOrigin(asked(headers), publicUrl)).not.toThrow();
  });
  test.each([
    ["another site", { "sec-fetch-site": "cross-site", origin: "https://waybill.example.com" }],
    ["a sibling", { "sec-fetch-site": "same-site" }],
    ["an address bar", { "sec-fetch-site": "none" }],
    ["another origin", { origin: "https://evil.example", host: "waybill.example.com" }],
    ["no origin in particular", { origin: "null" }],
    ["a client that names no origin", { host: "waybill.example.com" }],
    ["another port", { origin: "http://localhost:3001", host: "localhost:3000" }],
  ])("is refused from %s", (_, headers) => {
    expect(() => ensureSameOrigin(asked(headers), publicUrl)).toThrow(expect.objectContaining({ code: "forbidden" }));
  });
  test.each([undefined, "", "x", formToken, maskToken("dG9rZU4"), maskToken("dG9rZW4g")])("is refused with the token %j", (given) => {
    const own = asked({ "sec-fetch-site": "same-origin" });
    expect(() => ensureOwnPage(own, publicUrl, formToken, given)).toThrow(expect.objectContaining({ code: "forbidden" }));
    expect(() => ensureOwnPage(own, publicUrl, formToken, maskToken(formToken))).not.toThrow();
  });
});

describe("the address that wrong passwords are counted by", () => {
  const trusted = parseAddressRanges("127.0.0.1, 10.0.0.0/8, fd00::/8, 2001:db8:ffff::7") ?? new BlockList();
  test.each([
    ["203.0.113.9", undefined, "203.0.113.9"],
    ["::ffff:203.0.113.9", undefined, "203.0.113.9"],
    ["203.0.113.9", "198.51.100.7", "203.0.113.9"], // not a trusted proxy: its header is ignored
    ["192.168.0.2", "198.51.100.7", "192.168.0.2"], // nor is any private address
    ["::1", "198.51.100.7", "0:0:0:0::/64"],
    ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["::ffff:10.0.0.2", "1.1.1.1, 198.51.100.7", "198.51.100.7"], // the last address is the one that the proxy added
    ["10.0.0.2", "1.1.1.1, 198.51.100.7, 10.9.9.9,127.0.0.1", "198.51.100.7"], // several proxies in a row
    ["10.0.0.2", "1.1.1.1, 198.51.100.7, ::ffff:10.9.9.9", "198.51.100.7"],
    ["2001:db8:ffff::7", "198.51.100.7:4711, [fd00::1]:80", "198.51.100.7"],
    ["2001:db8:ffff::8", "198.51.100.7", "2001:db8:ffff:0::/64"],
    ["10.0.0.2", "10.0.0.3, 10.0.0.4", "10.0.0.3"], // the client itself is in the range
    ["10.0.0.2", "198.51.100.7, nonsense", "10.0.0.2"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", undefined, "127.0.0.1"],
    ["fd00::2%eth0", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", undefined, "2001:db8:1:2::/64"],
    ["2001:db8::1", undefined, "2001:db8:0:0::/64"],
    [undefined, "198.51.100.7", "unknown"],
  ])("from %j, told %j: %s", (peer, told, address) => {
    expect(clientAddress(peer, told, trusted)).toBe(address);
  });

  test("is the peer's where no proxy is trusted, which is the default", () => {
    for (const peer of ["127.0.0.1", "10.0.0.2", "203.0.113.9"]) {
      expect(clientAddress(peer, "198.51.100.7", parseConfig({}).trustedProxies)).toBe(peer);
    }
  });
});

describe("a sealed value that the browser keeps", () => {
  const now = new Date("2026-03-01T00:00:00Z");
  const later = new Date(now.getTime() + 1000);
  test("is read until it expires, for its own purpose and with the same secret", () => {
    const sealed = sealValue(secret, "choice", { a: 1 }, later);
    expect(openSealed(secret, "choice", sealed, now)).toEqual({ a: 1 });
    expect(openSealed(secret, "choice", sealed, later)).toBeUndefined();
    expect(openSealed(secret, "single sign-on", sealed, now)).toBeUndefined();
    expect(openSealed("another secret of thirty-two characters", "choice", sealed, now)).toBeUndefined();
  });
  test.each([undefined, "", ".", "x", "x.y", "x.y.z", "A".repeat(5000)])("%j is not a sealed value", (text) => {
    expect(openSealed(secret, "choice", text, now)).toBeUndefined();
  });
  test("is not read when any character is changed", () => {
    const sealed = sealValue(secret, "choice", { admin: false }, later);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      expect(openSealed(secret, "choice", changed, now)).toBeUndefined();
    }
  });
});
