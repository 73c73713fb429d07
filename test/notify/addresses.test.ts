import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import { BlockList } from "node:net"
import { isClosed, isOpen, parseRange } from "../../adapters/outgoing/AllowedAddresses.ts"

const ranges = (...texts: ReadonlyArray<string>) => texts.flatMap((text) => Option.toArray(parseRange(text)))

const four = FastCheck.tuple(FastCheck.ipV4(), FastCheck.integer({ min: 0, max: 32 }), FastCheck.ipV4())
const six = FastCheck.tuple(FastCheck.ipV6(), FastCheck.integer({ min: 0, max: 128 }), FastCheck.ipV6())

describe("a range lets through exactly its own addresses", () => {
  it.each([
    ["IPv4", "ipv4", four],
    ["IPv6", "ipv6", six]
  ] as const)("%s", (_, family, cases) =>
    FastCheck.assert(
      FastCheck.property(cases, FastCheck.boolean(), ([network, bits, other], isNear) => {
        const address = isNear ? network : other
        const list = new BlockList()
        list.addSubnet(network, bits, family)
        const isWithin = list.check(address, family)
        const isOpenWithout = isOpen("x.test", address, [])
        assert.strictEqual(isOpen("x.test", address, ranges(`${network}/${bits}`)), isWithin || isOpenWithout)
        assert.strictEqual(isOpen("x.internal", address, ranges(`${network}/${bits}`)), isWithin)
      }),
      { numRuns: 500 }
    )
  )

  it.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", true],
    ["10.0.0.0/8", "192.168.0.1", false],
    ["10.1.0.0/16", "10.2.0.0", false],
    ["10.1.2.3/32", "10.1.2.3", true],
    ["10.1.2.3/32", "10.1.2.4", false],
    ["10.1.2.3/8", "10.9.9.9", true],
    ["127.0.0.0/8", "::ffff:127.0.0.1", false],
    ["127.0.0.0/8", "::1", false],
    ["::1/128", "::1", true],
    ["::1/128", "127.0.0.1", false],
    ["::/0", "fe80::1", true],
    ["fe80::/10", "fe80::1%eth0", false],
    ["::127.0.0.1/128", "::7f00:1", true],
    ["::127.0.0.1/128", "::ffff:127.0.0.1", false],
    ["::ffff:127.0.0.1/128", "::ffff:7f00:1", true],
    ["::/0", "10.0.0.1", false],
    ["0.0.0.0/0", "169.254.169.254", true],
    ["fd00::/8", "fd12::1", true],
    ["168.63.129.16/32", "168.63.129.16", true]
  ])("%s and %s: %s", (range, address, isAllowed) => {
    assert.strictEqual(isOpen("x.test", address, ranges(range)), isAllowed)
  })
})

it("any of several ranges is enough", () => {
  const several = ranges("10.0.0.0/8", "::1/128")
  assert.deepStrictEqual(
    ["10.1.1.1", "::1", "127.0.0.1"].map((address) => isOpen("x.test", address, several)),
    [true, true, false]
  )
})

it("a private name needs an address that was allowed", () => {
  assert.isTrue(isClosed("db.internal", []))
  assert.isFalse(isClosed("db.internal", ranges("10.0.0.0/8")))
  assert.isTrue(isOpen("db.internal", "10.0.0.1", ranges("10.0.0.0/8")))
  assert.isFalse(isOpen("db.internal", "93.184.215.14", ranges("10.0.0.0/8")))
})

it.each([
  "",
  "10.0.0.0",
  "10/8",
  "10.0/8",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/8/8",
  "10.0.0.0/ 8",
  "10.0.0.0/255.0.0.0",
  "010.0.0.0/8",
  "0x0a.0.0.0/8",
  "256.0.0.0/8",
  "::1",
  "::1/129",
  "[::1]/128",
  "fe80::1%eth0/64",
  "localhost/8",
  "*"
])("'%s' is no range", (text) => assert.isTrue(Option.isNone(parseRange(text))))
