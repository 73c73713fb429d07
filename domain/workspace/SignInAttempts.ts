import { Schema } from "effect"

/** Attempts are counted in windows of this length, which the first attempt opens. */
export const windowMinutes = 15

/** Attempts within a window: mails to one address, requests for mails and sign-ins from one client address. */
export const most = { mails: 5, requests: 30, signIns: 100 }

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {}) {
  override get message() {
    return `There were too many attempts from your network address. Try again in ${windowMinutes} minutes.`
  }
}
