import { causesOf } from "../portErrors.js";

const tlsCodes =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|CERT_|HOSTNAME_MISMATCH$|ERR_TLS_|ERR_SSL_|EPROTO$)/;
// grpc-js reports these failures only in the texts of its errors.
const tlsTexts =
  /self[- ]signed certificate|unable to (?:verify the first|get|get issuer|get local issuer|get CRL issuer) certificate|certificate (?:has expired|is not yet valid)|altnames|ssl routines|wrong version number|tlsv1 alert/i;

/** Whether the server's certificate is not trusted, or the server does not speak TLS. Waiting does not help then. */
export function isTlsFault(error: unknown): boolean {
  return [...causesOf(error)].some(({ code = "", message }: NodeJS.ErrnoException) => tlsCodes.test(code) || tlsTexts.test(message));
}

/** Only the reason, such as `wrong version number`, without OpenSSL's numbers and file names. */
export function plainTlsReason(text: string): string {
  const [, reason] = /SSL routines:[^:]*:([^:]+):/i.exec(text) ?? [];
  return reason === undefined ? text : `TLS: ${reason}`;
}
