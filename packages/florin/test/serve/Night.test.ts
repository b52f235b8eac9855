/**
 * A night of faults, one by one, before a real process on anvil and PostgreSQL: `florin status` names each one with the
 * command that helps, an alert fires, and both are silent again once it is mended.
 *
 * The table in docs/operations.md is written from the one below, with FLORIN_UPDATE=1. No rule is waited for: promtool is
 * given what was scraped, for as long as the rule asks.
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { env, stderr } from "node:process"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Wire from "@florin/api/wire/Status"
import { makePartner, pay } from "@florin/client"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChain from "@florin/localnet/LocalChain"
import * as Counts from "@florin/testing/Counts"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Exit, Redacted, Schema, Scope } from "effect"
import * as Locals from "../../../evm/test-support/locals.ts"
import * as Node from "../../../evm/test-support/node.ts"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as PostgresServer from "../../../postgres/test-support/server.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Directory from "../directory.ts"
import * as Program from "../program.ts"
import * as Promtool from "../promtool.ts"
import * as Receiver from "../receiver.ts"
import * as Serving from "../serving.ts"

const number = 8453
const chainId = Eip155.chainId(number)
const { token } =
  BuiltIn.catalog.assets.find((each) => each.symbol === "USDC" && each.token.chainId === chainId) ??
  assert.fail("there is no USDC")
const asset = Eip155.formatToken(token)
const relayer = Wallet.make(170)
const payer = Wallet.make(171)
const accountOf = ({ address }: Wallet.Wallet) => Eip155.formatAccount({ chainId, address })
const price = 12_500_000n
const coin = 10n ** 18n

/** A machine with much else to do takes minutes. */
const timeout = 360_000
const minuteInMs = 60_000
const run = Effect.runPromise

/** A file system of its own for the database's tables, which can be filled; null where nothing can be mounted. */
const mount = (): string | null => {
  const directory = Directory.make()
  const { gid = 0, uid = 0 } = PostgresServer.account
  const options = `size=64m,mode=700,uid=${uid},gid=${gid}`
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]).status === 0) {
    return directory
  }
  Directory.remove(directory)
  return null
}
const unmount = (directory: string | null) => {
  if (directory === null) return
  execFileSync("umount", [directory])
  Directory.remove(directory)
}

/** Whether it can be done here. A PostgreSQL of somebody else may not see it. */
const mayFill = (() => {
  const tried = env["DATABASE_URL"] === undefined ? mount() : null
  unmount(tried)
  return tried !== null
})()
if (!mayFill) {
  stderr.write(
    "SKIPPED: a full disk was not tested: that takes root, who may mount a small one, and a PostgreSQL of the tests' own\n",
  )
}

/** A node before the chain: it answers truly, hangs, or shows blocks that no other node has. */
const nodeBefore = Effect.fnUntraced(function* (local: LocalChain.LocalChain) {
  let manner: "truly" | "hang" | "lie" = "truly"
  const node = yield* Node.make(async (_, body) => {
    if (manner === "hang") return "hang"
    const answer = await Locals.passOn(local, body)
    return {
      body: manner === "lie" ? answer.replaceAll(/"hash":"0x.{8}/gu, '"hash":"0xbadbadba') : answer,
    }
  })
  return {
    url: Redacted.value(node.url),
    behave: (next: typeof manner) => {
      manner = next
    },
  }
})

const readStatus = Schema.decodeUnknownSync(Schema.fromJsonString(Wire.Status))

const begin = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(Effect.sync(Directory.make), (made) =>
    Effect.sync(() => {
      Program.killAll()
      Directory.remove(made)
    }),
  )
  const disk = yield* Effect.acquireRelease(
    Effect.sync(() => (mayFill ? mount() : null)),
    (mounted) => Effect.sync(() => unmount(mounted)),
  )
  const database = yield* disk === null ? Databases.address("empty") : Databases.addressIn(disk)
  const local = yield* LocalChain.make({ chainId, blocks: { everyInMs: 400 } })
  for (const { address } of [relayer, payer]) yield* local.fundGas(address, coin)
  yield* local.fund(token.address, payer.address, 10n * price)
  const nodes = yield* Effect.forEach([1, 2], () => nodeBefore(local))
  const receiver = yield* Effect.promise(() => Receiver.make(200))
  const clock = join(directory, "clock")
  const setClock = (byInMs: number) => writeFileSync(clock, String(byInMs))
  setClock(0)
  const variables = {
    ...Serving.variables(database, [{ chainId: number, rpcUrl: local.rpcUrl }]),
    FLORIN_TEST_RPC: nodes.map(({ url }) => `${number}=${url}`).join(" "),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
    FLORIN_PRIVATE_WEBHOOKS: "true",
    // The process and the commands are on one machine, whose clock may be off.
    NODE_OPTIONS: `--import=${new URL("../clock.ts", import.meta.url).href}`,
    TEST_CLOCK: clock,
  }
  const { said } = yield* Effect.promise(() =>
    Serving.serve(variables, "--port", "0", "--operator-port", "0"),
  )
  const urlAfter = (message: RegExp): string =>
    new RegExp(`${message.source}.* url=(\\S+)`, "u").exec(said.out + said.err)?.[1] ??
    assert.fail(said.out + said.err)
  const baseUrl = urlAfter(/message=ready/u)
  const metricsUrl = `${urlAfter(/operator's port is open/u)}/metrics`
  const start = (...args: ReadonlyArray<string>) => Program.runIn(variables, ...args)
  const florin = async (command: string) => {
    const { code, err, out } = await start(...command.split(" ").slice(1))
    assert.strictEqual(code, 0, `${command}: ${out}${err}`)
    return out
  }
  const issued = yield* Effect.promise(() => Serving.register(database, baseUrl))
  const partner = makePartner({
    baseUrl,
    apiKey: issued.partnerKey,
    merchantId: issued.merchantId,
  })
  return {
    ballast: join(disk ?? directory, "ballast"),
    database,
    florin,
    local,
    partner,
    receiver,
    setClock,
    behave: (manner: Parameters<(typeof nodes)[number]["behave"]>[0]) => (index: number) =>
      nodes[index]?.behave(manner),
    status: async () => {
      const { code, err, out } = await start("status", "--json")
      assert.include([0, 1], code, out + err)
      return { code, findings: readStatus(out).findings }
    },
    scrape: async () => {
      const response = await fetch(metricsUrl)
      return { at: Date.now(), text: await response.text() }
    },
    order: (referenceId: string) =>
      partner.payments.create({
        referenceId,
        amount: { unit: `caip19/${asset}`, value: `${price}` },
      }),
    pay: (link: string) =>
      pay(link, {
        baseUrl,
        payLinkHost: Serving.payLinkHost,
        apiKey: issued.walletKey,
        accounts: [accountOf(payer)],
        signer: payer,
        maxPollMs: 1000,
      }),
  }
})
type Scene = Effect.Success<typeof begin>
type Scrape = Awaited<ReturnType<Scene["scrape"]>>

interface Fault {
  /** What happened, as the document has it. */
  readonly name: string
  readonly cause: (scene: Scene) => unknown
  /** What `florin status` calls it, says and advises; `…` stands for what differs each time. */
  readonly finding: string
  readonly says: string
  readonly commands: ReadonlyArray<string>
  /** A line of the metrics while it lasts. */
  readonly shows: RegExp
  /** What of them grows while it lasts, so that two looks are taken. */
  readonly grows?: RegExp
  /** All that fire. */
  readonly alerts: ReadonlyArray<string>
  /** What the operator does, and when `status` and alerts are silent again, for the document. */
  readonly help: string
  readonly clears: string
  readonly mend: (scene: Scene, commands: ReadonlyArray<string>) => unknown
}

let paymentId = ""

const faults: ReadonlyArray<Fault & { readonly skipped?: boolean }> = [
  {
    name: "A node lies: it shows other blocks than the others",
    cause: ({ behave }) => behave("lie")(0),
    finding: "nodes_differ",
    says: "Nodes of Base (test) show different blocks at height …: node 1 0xbadbadba…, node 2 0x…. Payments there wait: compare the hashes with a block explorer, and remove the wrong node",
    commands: ["florin doctor"],
    shows: /^florin_nodes_differ\{.*\} 1$/mu,
    alerts: ["FlorinNodesDiffer"],
    help: "Open a block explorer at that height. Take the node that shows another hash out of `FLORIN_RPC`, and restart one process after the other. Two hosts must agree, so if only one is left, add a node of another host. Until then payments do not become final on this chain, and nothing is paid out.",
    clears: "when all nodes show the same block",
    mend: ({ behave }) => behave("truly")(0),
  },
  {
    name: "A chain hangs: none of its nodes responds",
    cause: ({ behave }) => [0, 1].map(behave("hang")),
    finding: "chain_stalled",
    says: "No node of Base (test) responds: payments there wait",
    commands: ["florin doctor"],
    shows: /^florin_node_up\{.*\} 0$/mu,
    grows: /^florin_collect_errors_total.*$/gmu,
    alerts: ["FlorinChainStalled", "FlorinMetricsIncomplete", "FlorinNodeDown"],
    help: "Look at your providers' status pages. If they stay down, put a node of another provider into `FLORIN_RPC`, and restart one process after the other. Other chains continue.",
    clears: "when a node responds; waiting work continues within 1 min",
    mend: ({ behave }) => [0, 1].map(behave("truly")),
  },
  {
    name: "A token is paused by its issuer",
    // A process looks at its tokens every five minutes, and at once if a payer's signature is refused.
    cause: async ({ local, order, pay: payBy }) => {
      const { gatewayUrl } = await order("paused")
      await run(local.pause(token.address, true))
      payBy(gatewayUrl).catch(() => undefined)
    },
    finding: "token_left_out",
    says: "Not offered to payers (test): USDC on Base (…): paused() is on: it is paused and nobody can send it: it is offered again when its issuer resumes it",
    commands: ["florin doctor"],
    shows: /^florin_token_left_out\{.*symbol="USDC".*\} 1$/mu,
    alerts: ["FlorinTokenStopped"],
    help: "There is nothing to repair. Payers are offered other tokens; payouts and refunds of this one wait. Check what its issuer says, and inform your merchants.",
    clears: "within 15 s after the pause ends",
    mend: ({ local }) => run(local.pause(token.address, false)),
  },
  {
    name: "An account has no coin left for gas",
    cause: ({ local }) => run(local.request("anvil_setBalance", [relayer.address, "0x0"])),
    finding: "gas_low",
    says: "eip155:8453:0x… (test) has 0 ETH for gas: send it more",
    commands: ["florin relayers list"],
    shows: /^florin_relayer_coin\{.*\} 0$/mu,
    alerts: ["FlorinGasLow"],
    help: "Send some of the chain's own coin to the named account. Until it arrives, options that need that account are not offered, and payouts wait. If the coin was used faster than usual, `florin relayers list` shows what was spent.",
    clears: "when the coin is there; tokens are offered again within 15 s",
    mend: ({ local }) => run(local.fundGas(relayer.address, coin)),
  },
  {
    name: "The clock of a machine is off",
    cause: ({ setClock }) => setClock(3000),
    finding: "clock_off",
    says: "the clock of this process is … s ahead of the storage's: set both by NTP. It does no work until they agree, and resumes by itself",
    commands: ["florin doctor"],
    shows: /^florin_clock_offset_seconds [23]/mu,
    alerts: ["FlorinClockOff"],
    help: "Run `florin status` on each machine: it checks the clock of the machine that it runs on. Start or repair NTP there (`chronyc tracking`, `timedatectl`), or on the database's machine if all of them differ. Processes on other machines continue.",
    clears: "within 2 s after the clock is right",
    mend: ({ setClock }) => setClock(0),
  },
  {
    name: "A partner's webhook receiver is dead",
    cause: async ({ database, florin, order, receiver }) => {
      receiver.behave(500)
      const [{ id: partnerId }] = JSON.parse(await florin("florin partners list --json")).partners
      await florin(
        `florin webhooks endpoints create ${receiver.url} --partner ${partnerId} --mode test`,
      )
      const made = await order("told")
      paymentId = made.paymentId
      await Serving.until(() => receiver.received.length > 0)
      // What happened just now happened twenty minutes ago.
      await run(
        Databases.administer(
          database,
          `UPDATE florin.events SET created_at = created_at - ${20 * minuteInMs}
            WHERE florin.payment_of(id, state_version) = '${paymentId}'`,
        ),
      )
    },
    finding: "webhook_lags",
    says: "Webhook endpoint whk_… is … min behind with …: notify its partner",
    commands: ["florin webhooks endpoints list"],
    shows: /^florin_webhook_lag_seconds\{.*\} 1\d{3}/mu,
    grows: /^florin_webhook_lag_seconds.*$/gmu,
    alerts: ["FlorinWebhookFailing"],
    help: "`florin webhooks endpoints list` shows whose endpoint it is: inform that partner. No other partner waits, and the service retries each event for about a day. Once the receiver works, the service sends the rest automatically. To send one immediately, look up its id with `florin webhooks list <paymentId>`, then run `florin webhooks replay <paymentId> <deliveryId>`. If the receiver is gone for good, run `florin webhooks endpoints disable`.",
    clears: "when the receiver has accepted all waiting deliveries",
    mend: async ({ florin, receiver }) => {
      receiver.behave(200)
      const listed = await florin(`florin webhooks list ${paymentId} --json`)
      const [, deliveryId = ""] = /"(dlv_\w+)"/u.exec(listed) ?? []
      await florin(`florin webhooks replay ${paymentId} ${deliveryId}`)
    },
  },
  {
    name: "A merchant's destination is blocked by the token's issuer",
    cause: async ({ local, order, pay: payBy }) => {
      await run(local.block(token.address, LocalChains.treasury.address, true))
      const made = await order("blocked")
      paymentId = made.paymentId
      const { _tag } = await payBy(made.gatewayUrl)
      assert.strictEqual(_tag, "Succeeded")
    },
    finding: "stuck",
    says: "1 transfer on Base (test) is held, for … (12.35 USDC): the destination cannot be paid",
    commands: ["florin payouts show out_…", "florin payouts retry out_…"],
    shows: /^florin_stuck\{.*held="true"\} 1$/mu,
    alerts: ["FlorinMoneyHeld"],
    help: "`florin payouts show` shows which destination is refused. Ask the merchant for another one, through a channel that you know. When that one is in effect, run `florin payouts retry`: it pays to the merchant's current destination.",
    clears: "when nothing is held",
    mend: async ({ florin, local }, commands) => {
      await run(local.block(token.address, LocalChains.treasury.address, false))
      await florin(commands.at(-1) ?? "")
    },
  },
  {
    name: "Float is short: a refund waits for money of your own",
    cause: async ({ order, partner, pay: payBy }) => {
      const made = await order("refunded")
      await payBy(made.gatewayUrl)
      const paid = async () => partner.payments.get(made.paymentId)
      await Serving.until(async () => (await paid()).settlement !== null)
      await partner.refunds.create({ paymentId: made.paymentId })
    },
    finding: "float_short",
    says: "eip155:8453:0x… (test) lacks … USDC of your own money: 1 transfer waits for it",
    commands: ["florin float short"],
    shows: /^florin_float_short\{/mu,
    alerts: ["FlorinFloatShort"],
    help: "`florin float short` lists the accounts, what they lack, and the command that books it. Send the token to the account, then run that command. If another account of yours on that chain has enough, the service moves it automatically.",
    clears: "when it is booked; the refund continues within 1 min",
    mend: async ({ florin, local }, commands) => {
      const [command = ""] = commands
      assert.include(await florin(command), `florin float put ${asset} ${accountOf(relayer)}`)
      await run(local.fund(token.address, relayer.address, price))
      const transaction = `0x${"1".repeat(64)}`
      await florin(
        `florin float put ${asset} ${accountOf(relayer)} 12.5 --mode test --transaction ${transaction}`,
      )
    },
  },
  {
    name: "The disk of PostgreSQL is full",
    skipped: !mayFill,
    cause: ({ ballast }) => {
      const { stderr: said } = spawnSync("cp", ["/dev/zero", ballast], { encoding: "utf8" })
      assert.include(said, "No space left on device")
    },
    finding: "storage_full",
    says: "The disk of the database is full (53100): free space there. Nothing new is written until then",
    commands: ["florin doctor"],
    shows: /^florin_storage_up 0$/mu,
    alerts: ["FlorinStorageDown"],
    help: "Make the disk larger, or delete files that do not belong to the database, such as old logs and dumps. Never delete a file in PostgreSQL's directory, least of all in `pg_wal`. Reads still work; callers that write get 503 and retry. If there is no space for PostgreSQL's own log either, PostgreSQL stops: `florin status` reports that it could not read the storage, and `florin doctor` that the server cannot be used. Start it again once there is space.",
    clears: "when there is space",
    mend: ({ ballast }) => rmSync(ballast),
  },
]

/** A command without how the program is called here. */
const plain = (command: string): string => command.replace(/^.*?\bflorin (?=[a-z])/u, "florin ")

/** `…` in what was agreed stands for anything. */
const isAgreed = (agreed: string, said: string): boolean => {
  const parts = agreed.split("…").map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`, "u").test(said)
}

const keepUntil = async <A>(take: () => Promise<A>, isSo: (taken: A) => boolean): Promise<A> => {
  const taken = await take()
  if (isSo(taken)) return taken
  await Serving.pause(250)
  return keepUntil(take, isSo)
}

interface Seen {
  readonly before: Scrape
  readonly during: ReadonlyArray<Scrape>
  readonly after: Scrape
}

/** What was not mended yet, as its test failed: nothing after it would be as it should. */
let lasting: Fault | null = null

const play = async (scene: Scene, fault: Fault): Promise<Seen> => {
  const { commands, finding, grows, shows, says } = fault
  assert.isNull(lasting, `it could not be played, as this was not mended: ${lasting?.name}`)
  lasting = fault
  const isShown = ({ text }: Scrape) => shows.test(text)
  const namedIn = ({ findings }: Awaited<ReturnType<Scene["status"]>>) =>
    findings.find((each) => each.finding === finding && each.severity !== "note")
  const before = await scene.scrape()
  assert.isFalse(isShown(before), fault.name)
  await fault.cause(scene)
  const [first, red] = await Promise.all([
    keepUntil(scene.scrape, isShown),
    keepUntil(scene.status, (status) => namedIn(status) !== undefined),
  ])
  const named = namedIn(red) ?? assert.fail(fault.name)
  const grown = ({ text }: Scrape) => (grows === undefined ? "" : text.match(grows)?.join())
  const second =
    grows === undefined
      ? first
      : await keepUntil(scene.scrape, (next) => grown(next) !== grown(first))
  const given = named.remedies.map(({ command }) => plain(command))
  await fault.mend(scene, given)
  const [after] = await Promise.all([
    keepUntil(scene.scrape, (scraped) => !isShown(scraped)),
    keepUntil(scene.status, (status) => status.code === 0 && namedIn(status) === undefined),
  ])
  // Words are compared only now, so that one that changed does not keep the next fault from being played.
  lasting = null
  assert.strictEqual(red.code, 1)
  assert.isTrue(isAgreed(says, named.message), named.message)
  assert.strictEqual(given.length, commands.length)
  for (const [index, command] of given.entries()) {
    assert.isTrue(isAgreed(commands[index] ?? "", command), command)
  }
  return { before, during: [first, second], after }
}

const seen = new Map<Fault, Seen>()

/** Long enough for every rule that is expected: the slowest asks for half an hour. */
const minutes = 45

const sampleOf = (line: string): readonly [series: string, value: number] | null => {
  const [, series, value] = /^(florin_\S+?(?:\{.*\})?) (\S+)$/u.exec(line) ?? []
  return series === undefined || series.includes("_bucket") ? null : [series, Number(value)]
}
const samplesOf = ({ text }: Scrape) =>
  new Map(text.split("\n").flatMap((line) => [sampleOf(line)].filter((each) => each !== null)))

const isCounter = (series: string) => /^florin_\w+_(?:total|count|sum)\b/u.test(series)
const isAge = (series: string) => /^florin_\w+_(?:age|oldest|lag)_seconds\b/u.test(series)

/** What two looks show, in promtool's notation: counters go on as fast as they did, and so do ages that keep pace with the clock. */
const seriesOf = (first: Scrape, last: Scrape) => {
  const earlier = samplesOf(first)
  const seconds = (last.at - first.at) / 1000
  return [...samplesOf(last)].map(([series, value]) => {
    const rate = seconds === 0 ? 0 : (value - (earlier.get(series) ?? value)) / seconds
    const goesOn = isCounter(series) || (isAge(series) && rate > 0.8)
    const [name = "", labels = "}"] = series.split("{")
    const by = goesOn ? Math.max(0, rate * 60) : 0
    return {
      series: `${name}{job="florin",instance="one"${labels === "}" ? "" : ","}${labels}`,
      values: `${value.toFixed(6)}+${by.toFixed(6)}x${minutes}`,
    }
  })
}

/** The rules after what was scraped went on: these alerts fire, and no others. */
const testOf = (first: Scrape, last: Scrape, alerts: ReadonlyArray<string>) => ({
  interval: "1m",
  input_series: [
    { series: 'up{job="florin",instance="one"}', values: `1x${minutes}` },
    ...seriesOf(first, last),
  ],
  promql_expr_test: [
    {
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${minutes}m`,
      exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
})

const document = resolve("docs/operations.md")
const [opening, closing] = [
  "<!-- Written by packages/florin/test/serve/Night.test.ts, which plays these faults: edit that instead. -->",
  "<!-- End of the table of faults. -->",
]

/** The table, with columns of equal width as the formatter has them. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: ReadonlyArray<string>) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}

const code = (text: string) => `\`${text}\``

const rendered = () =>
  [
    table([
      ["what happened", "`florin status` says", "its command", "alert", "it clears"],
      ...faults.map(({ alerts, clears, commands, name, says }) => [
        name,
        says,
        commands.map(code).join(", then "),
        alerts.map(code).join(", "),
        clears,
      ]),
    ]),
    "What to do:",
    faults.map(({ help, name }) => `- **${name}.** ${help}`).join("\n"),
  ].join("\n\n")

describe("a night of faults", () => {
  const scope = Scope.makeUnsafe()
  let begun: Scene | null = null
  const scene = () => begun ?? assert.fail("the service did not begin")

  beforeAll(async () => {
    begun = await run(Effect.provideService(begin, Scope.Scope, scope))
    // The first looks of a service that has just begun are late on a busy machine.
    await keepUntil(begun.status, (status) => status.code === 0 && status.findings.length === 0)
  }, timeout)

  afterAll(async () => {
    begun?.receiver.close()
    await run(Scope.close(scope, Exit.void))
  }, timeout)

  for (const fault of Counts.some(faults, 3)) {
    it.skipIf(fault.skipped === true)(
      `${fault.name}: status names it with the command that helps, until it is fixed`,
      async () => {
        seen.set(fault, await play(scene(), fault))
      },
      timeout,
    )
  }

  it.skipIf(!Promtool.isInstalled)("each fault raises its own alerts, which end with it", () => {
    const tests = [...seen].flatMap(([{ alerts }, { after, before, during }]) => [
      testOf(before, before, []),
      testOf(during[0] ?? before, during.at(-1) ?? before, alerts),
      testOf(after, after, []),
    ])
    assert.isNotEmpty(tests)
    return Directory.within((directory) => {
      const file = join(directory, "night.yml")
      const rules = resolve("deploy/prometheus/alerts.yml")
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ rule_files: [rules], tests }))
      Promtool.run(["test", "rules", file])
    })
  })

  it("each fault is in the operator's guide, with its message", () => {
    const text = readFileSync(document, "utf8")
    const [start, end] = [text.indexOf(opening), text.indexOf(closing)]
    assert.isAbove(end, start)
    const wanted = `${text.slice(0, start)}${opening}\n\n${rendered()}\n\n${text.slice(end)}`
    if (env["FLORIN_UPDATE"] === "1") writeFileSync(document, wanted)
    else assert.strictEqual(text, wanted, "docs/operations.md: run this with FLORIN_UPDATE=1")
  })
})
Promtool.announce("the alerts of a night of faults were")
