import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Time from "../src/terminal/Time.ts"
import * as Commands from "./commands.ts"

const commandsOn = (url: string) => {
  const ended = (...args: ReadonlyArray<string>) => Commands.run(url, ...args)
  const said = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await ended(...args)
    assert.strictEqual(code, 0, err)
    return out
  }
  const json = async (...args: ReadonlyArray<string>) => JSON.parse(await said(...args, "--json"))
  return { ended, said, json }
}

/** A service on a database of one's own that was never called. */
const onDatabase = (work: (url: string) => Promise<void>) =>
  Effect.flatMap(Databases.address("migrated"), (url) =>
    Effect.andThen(
      Commands.serve(url),
      Effect.promise(() => work(url)),
    ),
  )

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
        const {
          keys: [first, ...none],
        } = await json("keys", "list", "--partner", partnerId)
        assert.deepStrictEqual(none, [])
        const days = (Date.parse(first.validUntil) - Date.parse(first.createdAt)) / 86_400_000
        assert.strictEqual(Math.round(days), 90)
        assert.deepStrictEqual(
          [first.revokedAt, first.mode, first.owner.partnerId],
          [null, "test", partnerId],
        )
        const listed = await said("keys", "list")
        assert.include(listed, first.id)
        assert.notInclude(listed + JSON.stringify(first), text.trimEnd())
        assert.match(
          await said("audit", "--action", "key.created"),
          new RegExp(
            String.raw`changed\s+expiresAt\n.*\n\s+to\s+${Time.minute(first.validUntil)}`,
            "u",
          ),
        )

        const rotated = await json("keys", "rotate", first.id)
        assert.match(rotated.secret, /^flr_test_pk_/u)
        assert.notStrictEqual(rotated.secret, text.trimEnd())
        const twice = await ended("keys", "rotate", first.id)
        assert.strictEqual(twice.code, 1)
        assert.include(twice.err, "the key is rotated already")
        await said("keys", "revoke", rotated.key.id)
        const after: ReadonlyArray<{ readonly id: string; readonly revokedAt: string | null }> = (
          await json("keys", "list")
        ).keys
        assert.deepStrictEqual(
          new Map(after.map(({ id, revokedAt }) => [id, revokedAt === null])),
          new Map([
            [first.id, true],
            [rotated.key.id, false],
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
          const { owner } = JSON.parse(texts[index] ?? "").key
          assert.deepStrictEqual(owner, {
            partnerId: null,
            operator: null,
            wallet: "Profiled",
            iconUrl: null,
            versionPin: "2026-02-18",
            profile,
          })
        }
        assert.include(await said("keys", "list"), "wallet Profiled (field)")
        const icon = "https://wallet.example/icon.png"
        const drawn = JSON.parse(await said(...create, "Drawn", "--icon-url", icon)).key
        assert.strictEqual(drawn.owner.iconUrl, icon)
        const changed = await said("keys", "change", drawn.id, "--wallet", "Redrawn")
        assert.include(changed, `${drawn.id} belongs to wallet Redrawn.`)
        const bare = await said("keys", "change", drawn.id, "--icon-url", "none", "--json")
        assert.deepInclude(JSON.parse(bare).owner, { wallet: "Redrawn", iconUrl: null })
        const insecure = await ended(
          ...create,
          "Drawn",
          "--icon-url",
          "http://wallet.example/i.png",
        )
        assert.strictEqual(insecure.code, 2)
        const nobody = await ended("keys", "create", "--partner", "prtn_1", "--mode", "live")
        assert.strictEqual(nobody.code, 1)
        assert.strictEqual(nobody.out, "")
        assert.notInclude(await said("keys", "list"), "prtn_1")
      }),
    timeout,
  )

  it.live(
    "requires an owner, and a valid expiry",
    () =>
      onDatabase(async (url) => {
        const { ended } = commandsOn(url)
        const refused: ReadonlyArray<readonly [args: string, message: string]> = [
          ["--mode test", "a key has one owner"],
          ["--mode test --partner prtn_1 --wallet w", "a key has one owner"],
          ["--mode test --wallet w --expires soon", "a time such as 90d, 12h or 30m"],
          ["--mode test --partner prtn_1 --profile field", "--profile: is for a wallet's key only"],
          [
            "--mode test --partner prtn_1 --icon-url https://a.example/i.png",
            "--icon-url: is for a wallet's key only",
          ],
          ["--mode test --wallet w --scopes nonsense", "--scopes[0]: must be one of "],
        ]
        for (const [args, message] of refused) {
          // oxlint-disable-next-line no-await-in-loop -- One database, one command after the other.
          const { code, err, out } = await ended("keys", "create", ...args.split(" "))
          assert.deepStrictEqual([code, out], [2, ""], args)
          assert.include(err, message)
        }
      }),
    timeout,
  )

  it.live(
    "S11: limits a key to address blocks, and refuses invalid blocks",
    () =>
      onDatabase(async (url) => {
        const { ended, json, said } = commandsOn(url)
        const partnerId = (await said("partners", "create", "--name", "Corner")).trimEnd()
        const create = ["keys", "create", "--partner", partnerId, "--mode", "test"]
        const { key: made } = await json(...create, "--from", "203.0.113.0/24, 198.51.100.7")
        assert.deepStrictEqual(made.from, ["203.0.113.0/24", "198.51.100.7"])
        const {
          keys: [listed],
        } = await json("keys", "list")
        assert.deepStrictEqual(listed.from, made.from)
        const empty = await ended(...create, "--from", "")
        assert.strictEqual(empty.code, 2)
        assert.include(empty.err, "--from[0]: must be an IPv4 address")
        const refused = await ended(...create, "--from", "2001:db8::1")
        assert.strictEqual(refused.code, 2)
        assert.include(refused.err, "an IPv4 address, or a block")
      }),
    timeout,
  )
})
