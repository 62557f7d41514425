/** The file as a whole cannot be used; the message tells the customer what to fix. */
export class FileFault extends Error {
  override readonly name = "FileFault";
}
