// What a list of sessions calls a browser: enough for its owner to recognise it, and no more. The header itself is kept nowhere.

/** Browsers that name others too come first: Edge and Opera say Chrome, and Chrome says Safari. */
const browsers = [
  ["Edge", /\b(?:Edg|EdgA|EdgiOS)\//],
  ["Opera", /\b(?:OPR|OPT)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/\d/], // of those left only Safari names its version so; headless Chrome says Safari too
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

const longestHeader = 500;

/** Such as "Firefox on Windows". Always one of a few texts of ours, whatever the header says. */
export function browserName(userAgent: string | undefined): string {
  const given = (userAgent ?? "").slice(0, longestHeader);
  const named = (known: readonly (readonly [string, RegExp])[]) => known.find(([, pattern]) => pattern.test(given))?.[0];
  const [browser, system] = [named(browsers), named(systems)];
  if (browser === undefined && system === undefined) return unknownBrowser;
  return system === undefined ? (browser ?? unknownBrowser) : `${browser ?? "A browser"} on ${system}`;
}

export const unknownBrowser = "Unknown browser";
