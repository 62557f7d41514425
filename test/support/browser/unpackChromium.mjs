// Unpacks the Chromium of @sparticuz/chromium into this process's temporary folder (TMPDIR), which the caller sets.
// Where the package takes the machine for this service it also unpacks the libraries that Chromium needs beyond libc, for machines without them.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs20.x";
const { default: chromium } = await import("@sparticuz/chromium");
await chromium.executablePath();
