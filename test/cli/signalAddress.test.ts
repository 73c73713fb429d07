import { ConfigProvider, Effect } from "effect"
import { assert, it } from "vitest"
import { signalAddress } from "../../adapters/cli/SignalAddress.ts"

it.each([
  [{}, "http://127.0.0.1:3000/signals"],
  [{ HOST: "0.0.0.0", PORT: "80" }, "http://127.0.0.1:80/signals"],
  [{ HOST: "::", PORT: "80" }, "http://[::1]:80/signals"],
  [{ HOST: "10.0.0.7", PORT: "8080" }, "http://10.0.0.7:8080/signals"],
  [{ PUBLIC_URL: "https://acme.test/gatehouse/" }, "https://acme.test/gatehouse/signals"],
  [{ PUBLIC_URL: "https://acme.test", SIGNAL_WEBHOOK_URL: "https://in.acme.test/s/" }, "https://in.acme.test/s"]
])("with the settings %j tools post to %s", async (settings, address) => {
  const config = ConfigProvider.fromMap(new Map(Object.entries(settings)))
  assert.strictEqual(await Effect.runPromise(Effect.withConfigProvider(signalAddress, config)), address)
})
