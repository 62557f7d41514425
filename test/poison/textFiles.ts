import { poison, repeated } from "./expectation.js";

const FULL = 52_428_800;
/** The size of files that must be read to the end; the largest size only with WAYBILL_LONG=1. */
const MANY = process.env["WAYBILL_LONG"] === "1" ? FULL : 6_000_000;
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
const faulty = (rows: number, count: number) => ({ rows, faulty: count });

const empties = [
  poison("an empty file", () => "", { fault: /^The file is empty/ }),
  poison("nothing but a UTF-8 mark", () => "\ufeff", { fault: /^The file is empty/ }),
  poison("nothing but a UTF-16 mark", () => bytes([0xff, 0xfe]), { fault: /^The file is empty/ }),
  poison("one line break", () => "\n", { fault: /no header row/ }),
  poison("blanks and line breaks", () => "  \r\n\t\r\n", { fault: /no header row/ }),
  poison("only delimiters", () => ",,,\n,,,\n", { fault: /no header row/ }),
  poison("only empty quotes", () => '"",""\n"",""\n', { fault: /no header row/ }),
  poison("only a sep= line", () => "sep=;\r\n", { fault: /no header row/ }),
  poison("a header line and nothing more", () => "a,b", { rows: 0 }),
  poison("a header and blank rows", () => "a,b\r\n,\r\n\r\n , \r\n", { rows: 0 }),
];

const oversized = [
  poison("50 MB on one line", () => repeated("x", FULL), { fault: /^Row 1 is longer than 1 MiB/ }),
  poison("50 MB on the second line", () => repeated("x", FULL - 4, "a,b\n"), { fault: /^Row 2 is longer than 1 MiB/ }),
  poison("50 MB of quotes", () => repeated('"', FULL), { fault: /^Row 1 opens a quote that is never closed/ }),
  poison("50 MB of commas", () => repeated(",", FULL), { fault: /^Row 1 (is longer than 1 MiB|has more than 512 columns)/ }),
  poison("50 MB of line breaks", () => repeated("\n", FULL), { fault: /no header row/ }),
  poison("50 MB of carriage returns", () => repeated("\r", FULL), { fault: /no header row/ }),
  poison("50 MB of blanks", () => repeated(" ", FULL), { fault: /^Row 1 is longer than 1 MiB/ }),
  poison("50 MB of zero bytes", () => repeated("\0", FULL), { fault: /not a text file/ }),
  poison("50 MB of zero bytes after a header", () => repeated("\0", FULL - 4, "a,b\n"), { fault: /^Row 2 is longer than 1 MiB/ }),
  poison("50 MB of quoted commas", () => repeated('",",', FULL), { fault: /^Row 1 (is longer than 1 MiB|has more than 512 columns)/ }),
  poison("50 MB of one letter and quotes", () => repeated('a"', FULL), { fault: /^Row 1 is longer than 1 MiB/ }),
  poison("quotes and line breaks without end", () => repeated('"\n', MANY - (MANY % 4), 'a,b\n1,"'), { fault: /opens a quote/ }),
  poison("blank quoted rows without end", () => repeated('""\n', MANY - (MANY % 3), "a,b\n"), { rows: 0 }),
  poison("a million columns of text", () => `${"a,".repeat(1_000_000)}\n`, {
    fault: /^Row 1 (is longer than 1 MiB|has more than 512 columns)/,
  }),
  poison("513 columns in the header", () => `${Array.from({ length: 513 }, (_, index) => `c${index}`).join(",")}\n`, {
    fault: /^Row 1 has more than 512 columns/,
  }),
  poison("513 columns in a row", () => `a\n1${",".repeat(512)}\n`, { fault: /^Row 2 has more than 512 columns/ }),
  poison("a row over 1 MiB in many cells", () => `a,b\n${"12345678,".repeat(200_000)}\n`, { fault: /^Row 2/ }),
  poison("a quoted cell of 2 MiB", () => `a,b\n1,"${"x\n".repeat(1 << 20)}"\n`, { fault: /^Row 2/ }),
  poison("a text cell over what a workbook holds", () => `a,b\n1,${"x".repeat(40_000)}\n2,y\n`, faulty(2, 1)),
  poison("3,100,001 rows", () => repeated("1\n", 2 * 3_100_001, "a\n"), { fault: /more than 3,100,000 rows/ }),
  ...(MANY === FULL ? [poison("3,100,000 rows", () => repeated("1\n", 2 * 3_100_000, "a\n"), { rows: 3_100_000 })] : []),
];

const quotes = [
  poison("an unclosed quote in the header", () => 'a,"b\n1,2\n3,4\n', { fault: /^Row 1 opens a quote/ }),
  poison("an unclosed quote in the last cell", () => 'a,b\n1,"2', { fault: /^Row 2 opens a quote/ }),
  poison("an unclosed quote before 3 MB of rows", () => repeated("1,2\n", 3_000_000, 'a,b\n1,"'), { fault: /^Row 2 opens a quote/ }),
  poison("an unclosed quote that meets a later one", () => 'a,b\n1,"x\n2,3\n4,"y"\n', {
    fault: /^Row 2 opens a quote that is not closed on the same row/,
  }),
  poison("text after a closing quote", () => 'a,b\n"x"y,1\n2,3\n', faulty(2, 1)),
  poison("a lone quote at the end", () => 'a,b\n1,2\n"', { fault: /^Row 3 opens a quote/ }),
  poison("quotes inside plain cells", () => 'a,b\n12" pipe,6\' x 3"\n', { rows: 1 }),
  poison("doubled quotes everywhere", () => 'a,b\n"""""",""""\n', { rows: 1 }),
  poison("surplus cells", () => "a,b\n1,2,3\n4,5,,\n", faulty(2, 1)),
  poison("missing cells", () => "a,b,c\n1\n", { rows: 1 }),
  poison("a value under a column without a name", () => "a,,c\n1,2,3\n1,,3\n", faulty(2, 1)),
  poison("mixed line endings", () => "a,b\r\n1,2\n3,4\r5,6\n\r7,8", { rows: 4 }),
  poison("a sep= line that makes no sense", () => "sep=ab\na,b\n", { fault: /sep= line/ }),
  poison("a sep= line that names a letter", () => "sep=x\naxb\n", { fault: /sep= line/ }),
  poison("a sep= line that names a quote", () => 'sep="\na,b\n', { fault: /sep= line/ }),
  poison("column names that objects have", () => "__proto__,constructor,toString\n1,2,3\n", { rows: 1 }),
  poison("formulas", () => "a,b\n=1+1,@SUM(A1)\n+1,-1\n", { rows: 2 }),
  poison("control characters", () => "a,b\n\u0001\u0007,\u001b[31m\n", { rows: 1 }),
  poison("text that turns its direction", () => "a,b\n\u202e123,\u2066x\n", { rows: 1 }),
];

const encodings = [
  poison("a NUL in the header", () => "a\0,b\n1,2\n", { fault: /not a text file/ }),
  poison("a NUL in a UTF-16 header", () => utf16("a\0,b\n1,2\n"), { fault: /^A column name in row 1 holds a NUL/ }),
  poison("NULs in cells", () => "a,b\n\0,1\n2,3\n4,\0\0\n", faulty(3, 2)),
  poison("Windows-1252", () => bytes("a,b\n1,", [0xe9, 0x80], "\n"), { rows: 1 }),
  poison("bytes that no encoding has", () => bytes("a,b\n1,", [0x81, 0x8d, 0x9d], "\n"), { rows: 1 }),
  poison("bad UTF-8 after good", () => bytes("a,b\n1,é\n2,", [0xe9], "\n"), { fault: /UTF-8 up to line 3/ }),
  poison("bad UTF-8 after a mark", () => bytes("\ufeffa,b\n2,", [0xe9], "\n"), { fault: /UTF-8 up to line 2/ }),
  poison("overlong UTF-8", () => bytes("é,b\n1,", [0xc0, 0x80], "\n"), { fault: /UTF-8 up to line 2/ }),
  poison("surrogates in UTF-8", () => bytes("é,b\n1,", [0xed, 0xa0, 0x80], "\n"), { fault: /UTF-8 up to line 2/ }),
  poison("a UTF-8 character cut off at the end of text", () => bytes("é,b\n1,", [0xe2, 0x82]), { fault: /UTF-8 up to line 2/ }),
  poison("bad UTF-8 at the end of 5 MB", () => [...repeated("é,2\n", 5_000_000, "a,b\n"), Buffer.from([0xff])], {
    fault: /UTF-8 up to line/,
  }),
  poison("half a UTF-16 character of text", () => utf16("a,b\n1,2\n").subarray(0, -1), { fault: /not valid UTF-16/ }),
  poison("a lone surrogate in UTF-16", () => utf16("a,b\n1,\udc00\n"), { fault: /not valid UTF-16/ }),
  poison("UTF-32", () => bytes([0xff, 0xfe, 0, 0], Array.from("a,b\n", (char) => [char.charCodeAt(0), 0, 0, 0]).flat()), {
    fault: /holds a NUL/,
  }),
  poison("UTF-16 read backwards", () => bytes([0xfe, 0xff], [...utf16("a,b\n1,2\n").subarray(2)]), { rows: 0 }),
];

const signatures: [string, number[] | string, RegExp][] = [
  ["a PDF", "%PDF-1.7\n", /PDF document/],
  ["a PNG", [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10], /PNG image/],
  ["a JPEG", [0xff, 0xd8, 0xff, 0xe0, 0, 16], /JPEG image/],
  ["a GIF", "GIF89a", /GIF image/],
  ["a bitmap", [0x42, 0x4d, 0x36, 0, 0, 0], /bitmap image/],
  ["a TIFF", [0x49, 0x49, 0x2a, 0, 8], /TIFF image/],
  ["a gzip", [0x1f, 0x8b, 8, 0, 0], /gzip archive/],
  ["a bzip2", "BZh91AY", /bzip2 archive/],
  ["an xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], /xz archive/],
  ["a 7z", [0x37, 0x7a, 0xbc, 0xaf, 0x27], /7-Zip archive/],
  ["a RAR", "Rar!\u001a\u0007", /RAR archive/],
  ["a zstd", [0x28, 0xb5, 0x2f, 0xfd], /Zstandard archive/],
  ["a Linux program", [0x7f, 0x45, 0x4c, 0x46, 2], /a program/],
  ["a Windows program", [0x4d, 0x5a, 0x90, 0], /a program/],
  ["a rich text document", "{\\rtf1}", /rich text document/],
  ["a web page called .xls", "<html><table><tr><td>a</td></tr></table></html>", /a web page/],
  ["an XML spreadsheet of 2003", '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', /an XML document/],
  ["a JSON array", '[{"a":1}]', /looks like JSON/],
  ["a JSON object", '{"a":1}', /looks like JSON/],
  ["an empty zip", `PK\u0005\u0006${"\0".repeat(18)}`, /an empty zip archive/],
  ["a split zip", "PK\u0007\u0008PK\u0003\u0004", /split zip archive/],
  ["random bytes with zeros", [0x13, 0, 0x88, 0xf1, 0, 0x77], /not a text file/],
];

const ole = (text = "") =>
  bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], [...Buffer.alloc(2000)], [...Buffer.from(text, "utf16le")]);
const foreign = [
  ...signatures.map(([name, start, fault]) => poison(name, () => Buffer.from(start as string), { fault })),
  poison(
    "an .xls workbook",
    () => ole("Workbook"),
    { fault: /^The \.xls format is not supported\. Re-save it as \.csv or \.xlsx\.$/ },
    "old.xls",
  ),
  poison("an .xls workbook called .csv", () => ole("Workbook"), { fault: /^The \.xls format is not supported/ }, "old.csv"),
  poison("an .xls workbook called .xlsx", () => ole("Workbook"), { fault: /^The \.xls format is not supported/ }, "new.xlsx"),
  poison("an encrypted workbook", () => ole("EncryptedPackage"), { fault: /protected with a password/ }, "upload"),
  poison("an encrypted workbook called .xlsx", () => ole("?"), { fault: /protected with a password/ }, "secret.xlsx"),
  poison("an old Word document", () => ole("WordDocument"), { fault: /an Office document/ }, "letter.doc"),
  poison("text called .xlsx", () => "a,b\n1,2\n", { rows: 1 }, "rows.xlsx"),
  poison("text called .pdf", () => "a,b\n1,2\n", { rows: 1 }, "rows.pdf"),
];

export const textFiles = [...empties, ...oversized, ...quotes, ...encodings, ...foreign];
