import { describe, expect, test } from "vitest";
import { addressRefusal, checkUrl } from "../../../src/domain/webhooks/address.js";

const strict = { allowPrivate: false };
const lenient = { allowPrivate: true };

describe("an address that is connected to", () => {
  test.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:169.254.169.254", "link-local"],
    ["169.254.169.254", "link-local"],
    ["168.63.129.16", "link-local"],
    ["fe80::1", "link-local"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.100.100.200", "private"],
    ["fd00:ec2::254", "private"],
    ["0.0.0.0", "not the address of a host"],
    ["0.1.2.3", "not the address of a host"],
    ["::", "not the address of a host"],
    ["255.255.255.255", "not a public address"],
    ["224.0.0.1", "not a public address"],
    ["192.0.2.1", "not a public address"],
    ["198.18.0.1", "not a public address"],
    ["::127.0.0.1", "loopback"],
    ["::7f00:1", "not a public address"],
    ["64:ff9b::7f00:1", "not a public address"],
    ["64:ff9b:1::a00:1", "not a public address"],
    ["2002:7f00:1::1", "not a public address"],
    ["2001:0:7f00:1::1", "not a public address"],
    ["2001:db8::1", "not a public address"],
    ["ff02::1", "not a public address"],
    ["", "not an address"],
    ["localhost", "not an address"],
  ])("%s is refused: %s", (address, reason) => {
    expect(addressRefusal(address, "https:", strict)).toContain(reason);
  });

  test.each(["8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "2606:4700::1", "::ffff:8.8.8.8"])("%s is public", (address) => {
    expect(addressRefusal(address, "https:", strict)).toBeUndefined();
    expect(addressRefusal(address, "http:", lenient)).toContain("https only");
  });

  test("with allowPrivate, private addresses are allowed, loopback also without TLS; metadata addresses never", () => {
    expect(addressRefusal("127.0.0.1", "http:", lenient)).toBeUndefined();
    expect(addressRefusal("::1", "https:", lenient)).toBeUndefined();
    expect(addressRefusal("10.0.0.1", "https:", lenient)).toBeUndefined();
    expect(addressRefusal("10.0.0.1", "http:", lenient)).toContain("private");
    for (const address of ["169.254.169.254", "::ffff:169.254.169.254", "168.63.129.16", "0.0.0.0"])
      expect(addressRefusal(address, "https:", lenient), address).toBeDefined();
  });
});

describe("the URL of an endpoint", () => {
  test.each([
    "http://example.com/",
    "ftp://example.com/",
    "https://",
    "not a url",
    "https://user:pw@example.com/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://[::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://localhost/",
    "https://a.localhost./",
    "https://0/",
    `https://example.com/${"x".repeat(2_000)}`,
  ])("%s is refused", (url) => {
    expect(checkUrl(url, strict)).toHaveProperty("fault");
  });

  test("https to a name is accepted, without its fragment", () => {
    expect(checkUrl("https://ERP.example.com/hooks?team=a#top", strict)).toEqual({ url: "https://erp.example.com/hooks?team=a" });
  });

  test("http to loopback is accepted where private addresses are allowed, http to other addresses is not", () => {
    expect(checkUrl("http://localhost:8080/x", lenient)).toEqual({ url: "http://localhost:8080/x" });
    expect(checkUrl("http://127.0.0.1:8080/x", lenient)).toEqual({ url: "http://127.0.0.1:8080/x" });
    for (const url of ["http://example.com/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data"])
      expect(checkUrl(url, lenient), url).toHaveProperty("fault");
  });
});
