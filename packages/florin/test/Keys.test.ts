import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Program from "./program.ts"

const commandsOn = (url: string) => {
  const ended = (...args: ReadonlyArray<string>) => Program.run(...args, "--storage", url)
  const said = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await ended(...args)
    assert.strictEqual(code, 0, err)
    return out
  }
  const json = async (...args: ReadonlyArray<string>) => JSON.parse(await said(...args, "--json"))
  return { ended, said, json }
}

/** A database of one's own, as a service leaves it that was never called. */
const onDatabase = (work: (url: string) => Promise<void>) =>
  Effect.flatMap(Databases.address("migrated"), (url) => Effect.promise(() => work(url)))

/** A machine with much else to do still gets there. */
const timeout = 300_000

describe("florin keys", () => {
  it.live(
    "creates, lists, rotates and revokes a partner's keys, and shows each once",
    () =>
      onDatabase(async (url) => {
        const { ended, json, said } = commandsOn(url)
        const partnerId = (await said("partners", "create", "--name", "Corner")).trimEnd()
        const create = ["keys", "create", "--partner", partnerId, "--mode", "test"]
        const text = await said(...create, "--expires", "90d")
        assert.match(text, /^flr_test_pk_[0-9A-Za-z]{38}\n$/u)
        const [first, ...none] = await json("keys", "list", "--partner", partnerId)
        assert.deepStrictEqual(none, [])
        const days = (Date.parse(first.expiresAt) - Date.parse(first.createdAt)) / 86_400_000
        assert.strictEqual(Math.round(days), 90)
        assert.deepStrictEqual(
          [first.isGood, first.mode, first.owner],
          [true, "test", { partnerId }],
        )
        const listed = await said("keys", "list")
        assert.include(listed, first.keyId)
        assert.notInclude(listed + JSON.stringify(first), text.trimEnd())

        const rotated = await json("keys", "rotate", first.keyId)
        assert.match(rotated.key, /^flr_test_pk_/u)
        assert.notStrictEqual(rotated.key, text.trimEnd())
        const twice = await ended("keys", "rotate", first.keyId)
        assert.strictEqual(twice.code, 1)
        assert.include(twice.err, "the key is rotated already")
        await said("keys", "revoke", rotated.keyId)
        const after: ReadonlyArray<{ readonly keyId: string; readonly isGood: boolean }> =
          await json("keys", "list")
        assert.deepStrictEqual(
          new Map(after.map(({ isGood, keyId }) => [keyId, isGood])),
          new Map([
            [first.keyId, true],
            [rotated.keyId, false],
          ]),
        )
      }),
    timeout,
  )

  it.live(
    "creates a wallet's key, and no key for an unknown partner",
    () =>
      onDatabase(async (url) => {
        const { ended, said } = commandsOn(url)
        const wallet = await said("keys", "create", "--wallet", "Pocket", "--mode", "live")
        assert.match(wallet, /^flr_live_wk_[0-9A-Za-z]{38}\n$/u)
        const create = ["keys", "create", "--mode", "live", "--json", "--wallet"] as const
        const profiles: ReadonlyArray<
          readonly [flags: ReadonlyArray<string>, profile: string | null]
        > = [
          [[], null],
          [["--profile", "interface"], "interface"],
          [["--profile", "field"], "field"],
        ]
        const texts = await Promise.all(
          profiles.map(([flags]) => said(...create, "Profiled", ...flags)),
        )
        for (const [index, [, profile]] of profiles.entries()) {
          const { owner } = JSON.parse(texts[index] ?? "")
          assert.deepStrictEqual(owner, {
            wallet: "Profiled",
            iconUrl: null,
            versionPin: "2026-02-18",
            profile,
          })
        }
        assert.include(await said("keys", "list"), "wallet Profiled (field)")
        const icon = "https://wallet.example/icon.png"
        const drawn = JSON.parse(await said(...create, "Drawn", "--icon-url", icon))
        assert.strictEqual(drawn.owner.iconUrl, icon)
        const changed = await said("keys", "change", drawn.keyId, "--wallet", "Redrawn")
        assert.include(changed, `${drawn.keyId} belongs to wallet Redrawn.`)
        const bare = await said("keys", "change", drawn.keyId, "--icon-url", "none", "--json")
        assert.deepInclude(JSON.parse(bare).owner, { wallet: "Redrawn", iconUrl: null })
        const nothing = await ended("keys", "change", drawn.keyId)
        assert.deepStrictEqual([nothing.code, nothing.out], [2, ""])
        assert.include(nothing.err, "set --wallet or --icon-url")
        const insecure = await ended(
          ...create,
          "Drawn",
          "--icon-url",
          "http://wallet.example/i.png",
        )
        assert.strictEqual(insecure.code, 1)
        const nobody = await ended("keys", "create", "--partner", "prtn_1", "--mode", "live")
        assert.strictEqual(nobody.code, 1)
        assert.strictEqual(nobody.out, "")
        assert.notInclude(await said("keys", "list"), "prtn_1")
      }),
    timeout,
  )

  it("requires an owner and a valid expiry", async () => {
    const refused: ReadonlyArray<readonly [args: string, message: string]> = [
      ["keys create --mode test", "set one of --partner, --wallet and --operator"],
      [
        "keys create --mode test --partner prtn_1 --wallet w",
        "set one of --partner, --wallet and --operator",
      ],
      ["keys create --mode test --wallet w --expires soon", "a time such as 90d, 12h or 30m"],
      [
        "keys create --mode test --partner prtn_1 --profile field",
        "only a wallet's key has a profile",
      ],
      [
        "keys create --mode test --partner prtn_1 --icon-url https://a.example/i.png",
        "only a wallet's key has an icon",
      ],
      ["keys revoke 5", "the id of a key, key_…"],
    ]
    const ends = await Program.several(refused.map(([args]) => args.split(" ")))
    for (const [index, { code, err }] of ends.entries()) {
      assert.strictEqual(code, 2)
      assert.include(err, refused[index]?.[1] ?? "")
    }
  })

  it.live(
    "S11: limits a key to address blocks, and refuses invalid blocks",
    () =>
      onDatabase(async (url) => {
        const { ended, json, said } = commandsOn(url)
        const partnerId = (await said("partners", "create", "--name", "Corner")).trimEnd()
        const create = ["keys", "create", "--partner", partnerId, "--mode", "test"]
        const made = await json(...create, "--from", "203.0.113.0/24, 198.51.100.7")
        assert.deepStrictEqual(made.from, ["203.0.113.0/24", "198.51.100.7"])
        const [listed] = await json("keys", "list")
        assert.deepStrictEqual(listed.from, made.from)
        const refused = await ended(...create, "--from", "2001:db8::1")
        assert.strictEqual(refused.code, 2)
        assert.include(refused.err, "an IPv4 address, or a block")
      }),
    timeout,
  )
})
