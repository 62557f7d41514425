/** The import cannot run, and a retry would fail as well. The message becomes the import's `errorMessage`. */
export class ImportFault extends Error {
  override readonly name = "ImportFault";
}
