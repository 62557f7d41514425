// Names a browser in a list of sessions: enough for its owner to recognise it, and no more. The User-Agent header itself is not stored.

/** The first pattern that matches decides. Edge and Opera also name Chrome in their headers, so they come before it. */
const browsers = [
  ["Edge", /\b(?:Edg|EdgA|EdgiOS)\//],
  ["Opera", /\b(?:OPR|OPT)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/\d/], // not the word Safari, which headless Chrome has too
] as const;

const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["Mac", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
] as const;

const maxHeaderLength = 500;

/** Returns a text such as "Firefox on Windows". It is made of fixed names only, whatever the header contains. */
export function browserName(userAgent: string | undefined): string {
  const header = (userAgent ?? "").slice(0, maxHeaderLength);
  const findName = (names: readonly (readonly [string, RegExp])[]) => names.find(([, pattern]) => pattern.test(header))?.[0];
  const [browser, system] = [findName(browsers), findName(systems)];
  if (browser === undefined && system === undefined) return unknownBrowser;
  return system === undefined ? (browser ?? unknownBrowser) : `${browser ?? "A browser"} on ${system}`;
}

export const unknownBrowser = "Unknown browser";
