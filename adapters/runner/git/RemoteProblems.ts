/** A repository that git could not reach. */
export interface Target {
  readonly url: string
  /** Null for a repository on this machine. */
  readonly host: string | null
  readonly hasToken: boolean
}

const credentials = ({ hasToken, host, url }: Target) =>
  hasToken
    ? `${host} refuses the token of GIT_TOKENS for ${url}. Replace it with one that may read and write the repository`
    : `${host} asks for a credential for ${url}. Set GIT_TOKENS=${host}=token on the runner`

const missing = ({ host, url }: Target) =>
  host === null
    ? `there is no git repository at ${url} on the machine of the runner. Create it with git init --bare, or correct it with 'gatehouse team set --repository'`
    : `${host} has no repository at ${url}, or the runner's credential may not see it. Correct it with 'gatehouse team set --repository', or set GIT_TOKENS`

/** Words of git, and what they mean for the operator. */
const meanings: ReadonlyArray<readonly [words: RegExp, meaning: (target: Target) => string]> = [
  [
    /dubious ownership|safe\.directory/,
    ({ url }) => `${url} belongs to another user than that of the runner. Give it to that user: chown -R`
  ],
  [/Authentication failed|could not read (Username|Password)|returned error: 401/i, credentials],
  [
    /returned error: 403/,
    ({ host, url }) => `${host} forbids ${url} to the runner's credential. Give it access to the repository`
  ],
  [
    /Could not resolve host|Could not resolve hostname/i,
    ({ host }) =>
      `the host ${host} is not known to the runner's machine. Correct the repository of the team, or the DNS`
  ],
  [
    /Failed to connect|Connection refused|Connection timed out/i,
    ({ host }) => `the host ${host} cannot be reached from the runner's machine`
  ],
  [
    /returned error: 30\d|unable to update url base from redirection/,
    ({ url }) => `${url} leads to another address. Set that address as the repository of the team`
  ],
  [/does not appear to be a git repository|not a git repository|repository .* (not found|does not exist)/i, missing]
]

/** The problem of a repository in plain words; git's own words where no plain ones are known. */
export const plainly = (target: Target, problem: string): string =>
  meanings.find(([words]) => words.test(problem))?.[1](target) ?? problem
