interface City {
  readonly name: string;
  /** Postcodes that lie entirely in the city. */
  readonly postcodes?: string;
  /** For regional cities, whose postcodes reach far into the country: centre, and km around it. */
  readonly around?: readonly [latitude: number, longitude: number, km: number];
  readonly state: string;
}

const cities: readonly City[] = [
  { name: "Sydney", state: "NSW", postcodes: "1000-1920 2000-2082 2084-2234 2555-2574 2740-2786" },
  { name: "Central Coast", state: "NSW", postcodes: "2083 2250-2263" },
  { name: "Newcastle", state: "NSW", postcodes: "2264-2308" },
  { name: "Wollongong", state: "NSW", postcodes: "2500-2507 2509-2526 2528-2530" },
  { name: "Canberra", state: "ACT", postcodes: "2600-2617 2620 2900-2914" },
  {
    name: "Melbourne",
    state: "VIC",
    postcodes: "3000-3207 3335-3340 3427-3441 3750-3763 3765-3777 3781-3815 3910-3920 3926-3944 3975-3978 3980-3981 8000-8999",
  },
  { name: "Brisbane", state: "QLD", postcodes: "4000-4207 4270 4280-4313 4340-4342 4345-4346 4500-4516 4520-4521 9000-9499" },
  { name: "Gold Coast", state: "QLD", postcodes: "4208-4230 9726" },
  { name: "Sunshine Coast", state: "QLD", postcodes: "4550-4551 4553-4560 4562-4569 4572-4573 4575" },
  { name: "Adelaide", state: "SA", postcodes: "5000-5171 5173-5174 5231-5234 5240-5252 5800-5999" },
  { name: "Perth", state: "WA", postcodes: "6000-6038 6050-6182 6208-6211 6214 6556-6558 6800-6999" },
  { name: "Hobart", state: "TAS", postcodes: "7000-7026 7050-7055 7170-7177" },
  { name: "Darwin", state: "NT", postcodes: "0800-0821 0828-0839 0841 0900-0909", around: [-12.4634, 130.8456, 45] },
  { name: "Geelong", state: "VIC", postcodes: "3214-3220 3222 3224 3226-3227", around: [-38.1499, 144.3617, 8] },
  { name: "Bendigo", state: "VIC", postcodes: "3550 3552-3555", around: [-36.757, 144.2794, 12] },
  { name: "Ballarat", state: "VIC", postcodes: "3350 3353-3356 3358", around: [-37.5622, 143.8503, 8] },
  { name: "Townsville", state: "QLD", postcodes: "4810-4815 4817-4819", around: [-19.259, 146.8169, 12] },
  { name: "Cairns", state: "QLD", postcodes: "4868-4870 4878-4879", around: [-16.9186, 145.7781, 12] },
  { name: "Toowoomba", state: "QLD", postcodes: "4350", around: [-27.5598, 151.9507, 8] },
  { name: "Mount Isa", state: "QLD", postcodes: "4825", around: [-20.7256, 139.4927, 8] },
  { name: "Gladstone", state: "QLD", around: [-23.8427, 151.2555, 8] },
  { name: "Bundaberg", state: "QLD", around: [-24.8661, 152.3489, 12] },
  { name: "Rockhampton", state: "QLD", postcodes: "4700", around: [-23.3791, 150.51, 5] },
  { name: "Mackay", state: "QLD", postcodes: "4750", around: [-21.1425, 149.1821, 9] },
  { name: "Launceston", state: "TAS", postcodes: "7248-7250", around: [-41.4332, 147.1441, 8] },
  { name: "Devonport", state: "TAS", around: [-41.1789, 146.3494, 5] },
  { name: "Bunbury", state: "WA", postcodes: "6229-6231", around: [-33.3271, 115.6414, 7] },
  { name: "Albany", state: "WA", around: [-35.0275, 117.884, 8] },
  { name: "Geraldton", state: "WA", postcodes: "6530-6531", around: [-28.7774, 114.615, 8] },
  { name: "Kalgoorlie", state: "WA", postcodes: "6430 6432-6433", around: [-30.749, 121.466, 7] },
  { name: "Maitland", state: "NSW", around: [-32.7333, 151.5574, 8] },
  { name: "Wagga Wagga", state: "NSW", around: [-35.1082, 147.3598, 7] },
  { name: "Coffs Harbour", state: "NSW", postcodes: "2452 2456", around: [-30.2963, 153.1135, 9] },
  { name: "Bathurst", state: "NSW", around: [-33.4193, 149.5775, 7] },
  { name: "Dubbo", state: "NSW", around: [-32.2569, 148.6011, 8] },
  { name: "Tamworth", state: "NSW", around: [-31.0927, 150.932, 7] },
  { name: "Lismore", state: "NSW", around: [-28.8135, 153.2773, 6] },
  { name: "Albury", state: "NSW", around: [-36.0737, 146.9135, 7] },
  { name: "Wodonga", state: "VIC", around: [-36.1217, 146.8881, 6] },
  { name: "Shepparton", state: "VIC", around: [-36.3833, 145.4, 5] },
  { name: "Mildura", state: "VIC", around: [-34.1855, 142.1625, 3] },
  { name: "Mount Gambier", state: "SA", around: [-37.829, 140.782, 4] },
  { name: "Whyalla", state: "SA", postcodes: "5600 5608", around: [-33.0333, 137.5667, 6] },
  { name: "Alice Springs", state: "NT", postcodes: "0870-0871 0873 0875", around: [-23.698, 133.8807, 9] },
];

const byPostcode = new Map<string, City>();
for (const city of cities) {
  for (const range of city.postcodes?.split(" ") ?? []) {
    const [from = "", to = from] = range.split("-");
    for (let code = Number(from); code <= Number(to); code += 1) byPostcode.set(String(code).padStart(4, "0"), city);
  }
}

/** A postcode that the package's coordinates wrongly place in a city. */
const norfolkIsland = "2899";

export type Coordinates = readonly [latitude: number, longitude: number];

/** The capital or regional city that an Australian locality is part of, if any. */
export function cityOf(postcode: string, state: string, at: Coordinates): string | undefined {
  if (postcode === norfolkIsland) return undefined;
  const whole = byPostcode.get(postcode);
  if (whole) return whole.state === state ? whole.name : undefined;
  let [best, nearest] = [undefined as string | undefined, Number.POSITIVE_INFINITY];
  for (const { name, around, state: where } of cities) {
    const distance = around && where === state ? kilometres(at, [around[0], around[1]]) : Number.POSITIVE_INFINITY;
    if (around && distance <= around[2] && distance < nearest) [best, nearest] = [name, distance];
  }
  return best;
}

/** Accurate to one percent over these distances. */
export function kilometres(a: Coordinates, b: Coordinates): number {
  const radians = Math.PI / 180;
  const east = (b[1] - a[1]) * radians * Math.cos(((a[0] + b[0]) / 2) * radians);
  return 6371 * Math.hypot(east, (b[0] - a[0]) * radians);
}
