// The one error type, and the sentences that go with the codes that this side makes.

export class ThreadfoldError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "ThreadfoldError";
    this.code = code;
  }
}

export const closed = () => new ThreadfoldError("closed", "This client is closed; make a new one.");

export const badArgument = (message, cause) => new ThreadfoldError("bad_argument", message, { cause });

const GIVEN_UP = {
  unauthorized: "The host refused the credentials. Renew them, then call retry() or connect().",
  not_found: "The host knows no such thread. Send a message to begin it, or check base and threadId.",
  no_content: "The host says that there is nothing to follow (204). Call retry() when there is.",
  foreign_contract: "What answers at this address speaks another contract than threadfold/1. Check base.",
  wrong_thread: "The host answered with another thread than the one that was asked for.",
  unreachable: "The host could not be reached in many tries. Call retry() to begin anew.",
};

/** Why following was given up. */
export const givenUp = (code) =>
  new ThreadfoldError(code, GIVEN_UP[code] ?? `Following the thread was given up: ${code}. Call retry() to begin anew.`);

/**
 * What a call into the module threw, as an error of this package. A trap is a fault of the module itself, and leaves it
 * in a state that nobody knows.
 */
export function fault(error) {
  if (error instanceof ThreadfoldError) return error;
  if (error instanceof WebAssembly.RuntimeError) {
    return new ThreadfoldError("internal", `A fault in threadfold itself (${error.message}). Reload the page.`, { cause: error });
  }
  return badArgument(error instanceof Error ? error.message : String(error), error);
}
