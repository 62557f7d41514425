// Addresses and ranges of addresses as an operator writes them: 10.0.0.7, 10.0.0.0/8, 2001:db8::/32.
import { BlockList, isIP } from "node:net";

/** Parses comma-separated addresses and ranges. Undefined if one of the parts is neither. */
export function parseAddressRanges(text: string): BlockList | undefined {
  const ranges = new BlockList();
  for (const part of text.split(",").map((each) => each.trim())) {
    const [address = "", bits, ...rest] = part.split("/");
    const version = isIP(address);
    const maxBits = version === 4 ? 32 : 128;
    if (version === 0 || address.includes("%") || rest.length > 0) return undefined;
    if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > maxBits)) return undefined;
    ranges.addSubnet(address, bits === undefined ? maxBits : Number(bits), version === 4 ? "ipv4" : "ipv6");
  }
  return ranges;
}

export const isAddressWithin = (ranges: BlockList, address: string): boolean => {
  const version = isIP(address);
  return version !== 0 && ranges.check(address, version === 4 ? "ipv4" : "ipv6");
};
