// Classifies the failures of an S3 store: a missing object, an outage that passes, or a setting that an operator has to correct.
import { ObjectMissing, StoreUnavailable } from "../../portErrors.js";
import { isTlsFault, plainTlsReason } from "../tlsFaults.js";

const credentialsAdvice = "Check S3_ACCESS_KEY and S3_SECRET_KEY.";
const permissionAdvice = "Check that S3_ACCESS_KEY may use this bucket, and that it is yours.";
const regionAdvice = "Check S3_REGION and S3_ENDPOINT.";

/** What to do about the errors that do not pass by themselves, by S3's error code. */
const adviceByCode: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: credentialsAdvice,
  SignatureDoesNotMatch: credentialsAdvice,
  InvalidTokenId: credentialsAdvice,
  InvalidToken: credentialsAdvice,
  ExpiredToken: credentialsAdvice,
  AccessDenied: permissionAdvice,
  AllAccessDisabled: permissionAdvice,
  UnauthorizedAccess: permissionAdvice,
  AccountProblem: permissionAdvice,
  NotSignedUp: permissionAdvice,
  BucketAlreadyExists: "Another account has a bucket of this name: set S3_BUCKET to another one.",
  InvalidBucketName: "Set S3_BUCKET to a name that the store takes.",
  AuthorizationHeaderMalformed: regionAdvice,
  PermanentRedirect: regionAdvice,
  MovedPermanently: regionAdvice,
  IllegalLocationConstraintException: regionAdvice,
  InvalidLocationConstraint: regionAdvice,
  InvalidRegion: regionAdvice,
  RequestTimeTooSkewed: "Set this machine's clock.",
};
const tlsAdvice = "Check S3_ENDPOINT; NODE_EXTRA_CA_CERTS names a file with the certificates of another authority to trust.";
const noBucketAdvice = "The bucket does not exist. Check S3_BUCKET; the api role creates a missing bucket when it starts.";

export type TranslateError = (error: unknown, key?: string) => unknown;

/** Messages name the endpoint and the bucket, since an operator may run several. */
export function createErrorTranslator({ endpoint, bucket }: { endpoint: string; bucket: string }): TranslateError {
  const store = `The object store at ${new URL(endpoint).origin} (bucket ${bucket})`;
  const unavailable = (message: string, cause: unknown, fault: StoreUnavailable["fault"]) =>
    new StoreUnavailable("object store", `${store} ${message}`, { cause, fault });
  return (error, key) => {
    if (error instanceof StoreUnavailable || isLocalFileError(error)) return error;
    const code = codeOf(error);
    if (code === "NoSuchBucket") return unavailable(`cannot be used: ${noBucketAdvice}`, error, "absent");
    if (key !== undefined && (code === "NoSuchKey" || code === "NotFound")) return new ObjectMissing(key);
    const advice = adviceByCode[code] ?? (isTlsFault(error) ? tlsAdvice : undefined);
    if (advice !== undefined) return unavailable(`cannot be used: ${reasonOf(error)}. ${advice}`, error, "misconfigured");
    return unavailable(`is not available: ${reasonOf(error)}`, error, "outage");
  };
}

export const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? "");

/** Whether the error is about the local file that is sent or received. */
function isLocalFileError(error: unknown): boolean {
  const { syscall, path } = error as NodeJS.ErrnoException;
  return syscall !== undefined && path !== undefined;
}

function reasonOf(error: unknown): string {
  const message = plainTlsReason((error as Error).message ?? "");
  const code = codeOf(error);
  const { region } = error as { region?: unknown };
  const reason = [message.includes(code) ? "" : code, message]
    .filter(Boolean)
    .join(": ")
    .replace(/[.\s]{1,9}$/, "");
  return `${reason || "no reason was given"}${typeof region === "string" && region ? ` (region ${region})` : ""}`;
}
