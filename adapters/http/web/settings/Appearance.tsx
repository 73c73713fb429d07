import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { Choices } from "../components/Form.tsx"
import { Button, Panel } from "../components/Parts.tsx"
import type { Page } from "../Page.ts"
import { cookies, type Reader } from "../Reader.ts"
import { redirect } from "../Render.tsx"

const year = 31_536_000

/** Sets a cookie that the page's script may read; an empty value removes it. */
const setCookie = (name: string, value: string) =>
  HttpServerResponse.unsafeSetCookie(name, value, {
    path: "/",
    sameSite: "lax",
    maxAge: `${value === "" ? 0 : year} seconds`
  })

export const pages: ReadonlyArray<Page<never>> = [
  {
    path: "settings/appearance",
    post: ({ base, form }) =>
      Effect.succeed(
        redirect(`${base}/settings/sessions`, "appearance-saved").pipe(
          setCookie(cookies.theme, ["light", "dark"].find((theme) => theme === form.get("theme")) ?? ""),
          setCookie(cookies.keys, form.get("keys") === "on" ? "" : "off")
        )
      )
  }
]

/** How pages look in this browser, and whether single keys act. */
export const Appearance = ({ base, reader }: { readonly base: string; readonly reader: Reader }) => {
  const filled = { values: { theme: reader.theme ?? "", keys: reader.hasKeys ? "on" : "" }, errors: {} }
  return (
    <Panel id="appearance" title="In this browser">
      <form class="body stack" method="post" action={`${base}/settings/appearance`}>
        <Choices
          name="theme"
          label="Colours"
          type="radio"
          filled={filled}
          options={[
            { value: "", label: "Same as the system" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" }
          ]}
        />
        <Choices
          name="keys"
          label="Keyboard"
          type="checkbox"
          filled={filled}
          options={[
            { value: "on", label: "Use keyboard shortcuts", hint: "Such as j and k for the next and previous row" }
          ]}
        />
        <p>
          <Button>Save for this browser</Button>
        </p>
      </form>
    </Panel>
  )
}
