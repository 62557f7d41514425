import { readFileSync } from "node:fs";

/** The image of a service in docker-compose.yml, so that tests and developers run the same versions. */
export function imageOf(service) {
  const compose = readFileSync(new URL("../../docker-compose.yml", import.meta.url), "utf8");
  const section = compose.slice(compose.indexOf(`\n  ${service}:`));
  const written = /\n {4}image: (\S+)/.exec(section)?.[1];
  if (!written) throw new Error(`docker-compose.yml names no image for ${service}`);
  const choice = /^\$\{(\w+):-(.+)\}$/.exec(written);
  return choice ? process.env[choice[1]] || choice[2] : written;
}
