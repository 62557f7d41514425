import { type FileHandle, open } from "node:fs/promises";

const pieceBytes = 64 * 1024;

/** Opens the file at the first read, not before: if the caller has disconnected, the adapter neither reads nor cancels the stream. */
export function fileStream(path: string): ReadableStream<Uint8Array> {
  let opening: Promise<FileHandle> | undefined;
  const close = async () => (await opening)?.close();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        opening ??= open(path);
        try {
          const { bytesRead, buffer } = await (await opening).read(Buffer.allocUnsafeSlow(pieceBytes));
          if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        } catch (error) {
          await close();
          throw error;
        }
        await close();
        controller.close();
      },
      cancel: async () => void (await close()),
    },
    { highWaterMark: 0 },
  );
}
