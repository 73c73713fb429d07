/** Result of running the tests with a mutant. */
export type Outcome =
  | { readonly status: "killed"; readonly by: string }
  /** No test ended while it was active. */
  | { readonly status: "endless" }
  | { readonly status: "survived" }
  /** No test reaches it. */
  | { readonly status: "unreached" }
  /** It is reached only while files are loaded, before any test. */
  | { readonly status: "static" }

/** A line that a worker writes. */
export type Line =
  | { readonly type: "started"; readonly id: string }
  | { readonly type: "ended"; readonly id: string; readonly outcome: Outcome }
  /** The test does not pass without a mutant: at once, a second time, or after a mutant. */
  | { readonly type: "unfit"; readonly test: string; readonly after: string | null; readonly error: string }
  | { readonly type: "done" }
