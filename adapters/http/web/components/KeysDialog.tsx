import { Icon } from "./Icon.tsx"

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, what: string]> = [
  [["j", "k"], "next, previous"],
  [["Enter"], "open, or press what has the focus"],
  [["1", "2", "3", "4"], "go to an option of a decision"],
  [["/"], "search"],
  [["n"], "write a note"],
  [["Esc"], "leave a field"],
  [["?"], "show these keys"]
]

/** Opened by the key `?`. */
export const KeysDialog = () => (
  <dialog class="dialog" id="keys" aria-labelledby="keys-title">
    <div class="in">
      <h2 id="keys-title">Keys</h2>
      <dl class="dl">
        {keys.map(([names, what]) => (
          <>
            <dt>
              {names.map((name) => (
                <kbd>{name}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <p class="small muted">They can be switched off in your account.</p>
      <div class="acts">
        <button class="btn" type="button" data-close>
          Close
        </button>
      </div>
    </div>
  </dialog>
)

/** Leads to the search, as the key `/` does. */
export const SearchWay = ({ base }: { readonly base: string }) => (
  <a class="icon-btn" href={`${base}/search`} aria-label="Search" aria-keyshortcuts="/" data-search>
    <Icon name="search" />
  </a>
)
