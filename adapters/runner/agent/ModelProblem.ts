import type { Problem } from "./Agent.ts"

/** Sorts the words of a program about its model: rate limit, key, or everything else, which may pass. */
export const modelProblem = (words: string): Problem => {
  if (/\b429\b|rate.?limit|too many requests|usage limit|quota/i.test(words))
    return { failureClass: "transient", words: `the rate limit of the model is reached: ${words}` }
  if (/\b40[13]\b|unauthori[sz]ed|authentication|api.?key|not logged in|missing environment variable/i.test(words))
    return { failureClass: "dependency", words: `the model refused the key: ${words}` }
  return { failureClass: "transient", words: `the model did not answer as it should: ${words}` }
}
