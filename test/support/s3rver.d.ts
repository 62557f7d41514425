declare module "@20minutes/s3rver" {
  import type { RequestListener } from "node:http";
  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export default class S3rver {
    constructor(options: { directory: string; silent: boolean });
    callback(): RequestListener;
  }
}
