// What the application needs of the object store.
export interface ObjectStore {
  /** Stores a local file under a key, completely or not at all. */
  put(key: string, path: string, options: { contentType: string }): Promise<void>;
  /** Fetches an object into a local file. Throws ObjectMissing when there is none. */
  fetch(key: string, path: string): Promise<void>;
  /** The bytes of a small object. Throws ObjectMissing when there is none. */
  read(key: string): Promise<Buffer>;
  exists(key: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** The objects under a prefix. */
  list(prefix: string): AsyncIterable<{ key: string; modifiedAt: Date; size: number }>;
  /** Removes the partial files that `put` left before this time, when its process was killed. Returns how many. */
  removeUnfinished(before: Date): Promise<number>;
  /** A link from which the object can be downloaded, without an API key, until it expires. The browser saves it as `downloadName`. */
  link(key: string, options: { downloadName: string; expiresInSeconds: number; now: Date }): Promise<string>;
  /** For a store whose links the API serves: the file of such a link; undefined when the signature is wrong or the link has expired. */
  openLink?(link: SignedLink, now: Date): Promise<LinkedFile | undefined>;
  /** Creates the bucket or the folder if it is missing. Called at the API's start, and by commands that store objects. */
  prepare(): Promise<void>;
  /** Throws StoreUnavailable when the store cannot be used. Changes nothing. */
  ping(): Promise<void>;
  close?(): void;
}

/** The parts of a link. `signature` signs the others. */
export interface SignedLink {
  readonly key: string;
  /** Seconds since 1970. */
  readonly expires: string;
  readonly name: string;
  readonly signature: string;
}

interface LinkedFile {
  readonly path: string;
  readonly size: number;
  /** The header that makes a browser save the file under its name. */
  readonly contentDisposition: string;
  readonly contentType: string;
}
