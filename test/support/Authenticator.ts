import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest()

const counted = (counter: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  return bytes
}

/** CBOR of a byte string of 32 bytes. */
const bytes32 = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, 0x20]), bytes])

/** CBOR of a text of at most 23 characters. */
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])

interface Ceremony {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
}

/** A passkey in software: an ES256 key that answers as a browser with a verified user does. */
export const authenticator = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const jwk = publicKey.export({ format: "jwk" })
  const id = randomBytes(32)
  const [x, y] = [jwk.x, jwk.y].map((part) => Buffer.from(part ?? "", "base64url")) as [Buffer, Buffer]
  const key = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes32(x),
    Buffer.from([0x22]),
    bytes32(y)
  ])
  const clientData = (type: string, { challenge, origin }: Ceremony) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const answer = (response: Readonly<Record<string, unknown>>) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response
  })
  return {
    create: (ceremony: Ceremony) => {
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const data = Buffer.concat([sha256(ceremony.rpId), Buffer.from([0x45]), counted(0), credential])
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        text("fmt"),
        text("none"),
        text("attStmt"),
        Buffer.from([0xa0]),
        text("authData"),
        Buffer.from([0x58, data.length]),
        data
      ])
      return answer({
        clientDataJSON: clientData("webauthn.create", ceremony).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"]
      })
    },
    get: (ceremony: Ceremony, { counter = 0, flags = 0x05 } = {}) => {
      const client = clientData("webauthn.get", ceremony)
      const data = Buffer.concat([sha256(ceremony.rpId), Buffer.from([flags]), counted(counter)])
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)
      return answer({
        clientDataJSON: client.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url")
      })
    }
  }
}
