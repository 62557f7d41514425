// A registry mirror that carries only some platforms' binaries leaves the others out of package-lock.json, and `npm ci`
// then refuses the lock. This adds the missing optional entries (version, os and cpu only); run it after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const platforms = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32", "windows"];
const cpus = ["arm64", "arm", "ia32", "x64", "loong64", "mips64el", "ppc64", "riscv64", "s390x"];
let added = 0;

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${path}/node_modules/${name}`;
    if (lock.packages[nested] || lock.packages[`node_modules/${name}`]) continue;
    const words = name.split(/[/-]/);
    const os = platforms.find((platform) => words.includes(platform));
    const cpu = cpus.find((known) => words.includes(known));
    if (!os || !/^\d/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      optional: true,
      ...(entry.dev ? { dev: true } : {}),
      os: [os === "windows" ? "win32" : os],
      ...(cpu ? { cpu: [cpu] } : {}),
      ...(/musl/.test(name) ? { libc: ["musl"] } : {}),
    };
    added += 1;
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.error(`${added} entries added`);
