import { Context, type Redacted } from "effect"

/** 32 bytes from the configuration; every key the service uses is derived from them. */
export class SecretKey extends Context.Tag("application/SecretKey")<SecretKey, Redacted.Redacted<Uint8Array>>() {}

/** Former keys: secrets sealed with them still open. */
export class OldSecretKeys extends Context.Reference<OldSecretKeys>()("application/OldSecretKeys", {
  defaultValue: (): ReadonlyArray<Redacted.Redacted<Uint8Array>> => []
}) {}
