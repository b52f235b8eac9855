/**
 * The operator's commands next to a service with embedded storage: `npm start`, in the usual directory.
 *
 * @module
 */
import { once } from "node:events"
import { statSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

const timeout = 300_000

/** What the operator asks, of each command that reads. */
const questions = [
  "reconcile",
  "balances",
  "stuck",
  "audit",
  "keys list",
  "partners list",
  "float short",
  "payouts list",
  "relayers list",
  "unclaimed list",
  "chains halted",
  "assets stopped",
  "merchants waiting",
]

describe("next to florin dev on its embedded storage", () => {
  let directory = ""
  let service: Program.Running | undefined
  beforeAll(async () => {
    directory = Directory.make()
    service = await Program.dev(directory, "--chains", "8453")
  }, timeout)
  afterAll(async () => {
    if (service !== undefined) await Program.interrupt(service)
    Directory.remove(directory)
  }, timeout)

  const run = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { code, err, out } = await Program.run(...args, "--directory", directory)
    assert.strictEqual(code, 0, `${args.join(" ")}: ${err}${out}`)
    return out
  }

  const paid = async (): Promise<string> => {
    const created = await run("payments", "create", "--amount", "12.50 USD", "--reference", "R-1")
    const [, link = ""] = /link +(\S+)/u.exec(created) ?? []
    await run("pay", link)
    return /pay_\w+/u.exec(link)?.[0] ?? assert.fail(created)
  }

  it(
    "every command works, without effect on the service",
    async () => {
      // A busy machine is late with its work at first, which is what the status reports.
      const isClear = async (): Promise<boolean> => {
        const { code } = await Program.run("status", "--directory", directory)
        if (code === 0) return true
        await setTimeout(500)
        return isClear()
      }
      assert.isTrue(await isClear())
      const ends = await Program.several(
        questions.map((question) => [...question.split(" "), "--directory", directory]),
      )
      for (const [index, { code, err, out }] of ends.entries()) {
        assert.strictEqual(code, 0, `${questions[index]}: ${err}${out}`)
      }
      const key = (await run("keys", "create", "--wallet", "Pocket", "--mode", "test")).trim()
      assert.include(await run("keys", "list"), key.slice(0, 16))
      const socket = join(directory, "embedded", "operator.sock")
      assert.strictEqual(statSync(socket).mode & 0o777, 0o600)
      await run("keys", "create", "--operator", "Ada", "--scopes", "read", "--reason", "für Anna")
      const [{ actor, reason, requestId }] = JSON.parse(await run("audit", "--json")).data
      assert.deepStrictEqual([actor.name, reason], [userInfo().username, "für Anna"])
      assert.match(requestId, /^req_/u)
      await Serving.becomesReady(service?.ready.baseUrl ?? "")
    },
    timeout,
  )

  it(
    "a payment is logged, shown, watched and explained",
    async () => {
      const id = await paid()
      const shown = await run("payments", "show", id)
      for (const fact of [
        /^ {2}status +succeeded, final$/mu,
        /^ {2}amount +12\.50 USD$/mu,
        /^ {2}merchant +.+ \(mrch_\w+\)$/mu,
        /^ {2}payer +eip155:8453:0x/mu,
        /^ {2}paid +12\.50 \w+ on Base$/mu,
        /^ {2}in +0x[0-9a-f]{64}$/mu,
        /^ {2}payout +\w+/mu,
        /^ {2}link +https?:/mu,
      ]) {
        assert.match(shown, fact)
      }
      const webhooks = await run("webhooks", "list", id)
      assert.notInclude(webhooks, "no such payment")
      assert.match(await run("explain", id), /\n\nPaid, /u)

      const watching = Program.start(["payments", "show", id, "--watch", "--directory", directory])
      while (watching.said.out.split(`\n${id}\n`).length < 3) {
        // oxlint-disable-next-line no-await-in-loop -- It says more until it has said it twice.
        await once(watching.child.stdout ?? assert.fail(), "data")
      }
      watching.child.kill("SIGINT")
      assert.strictEqual((await watching.ended).code, 0)

      const said = service?.said.out ?? ""
      const line = new RegExp(
        String.raw`^✓ ${id} succeeded: 12\.50 USD, paid with 12\.50 \w+ on Base \(R-1\)$`,
        "gmu",
      )
      assert.lengthOf(said.match(line) ?? [], 1)
    },
    timeout,
  )

  it(
    "a second service is refused the directory",
    async () => {
      const { code, err } = await Program.start(["serve", "--port", "0", "--directory", directory])
        .ended
      assert.strictEqual(code, 1)
      assert.include(err, "a service runs in this directory already")
    },
    timeout,
  )
})
