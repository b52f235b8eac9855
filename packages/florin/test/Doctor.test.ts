/**
 * What `florin doctor` reports about services that are ready for real money, and about others.
 *
 * @module
 */
import { once } from "node:events"
import { chmodSync, mkdirSync } from "node:fs"
import * as http from "node:http"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Checklist from "@florin/core/engine/status/Checklist"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Postgres from "@florin/postgres/Postgres"
import * as Confusables from "@florin/server/Confusables"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as Place from "../src/access/Place.ts"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Commands from "./commands.ts"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"

const chainId = Eip155.chainId(8453)

const readFindings = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      checks: Schema.Array(
        Schema.Struct({
          item: Schema.String,
          verdict: Schema.String,
          seen: Schema.Array(Schema.String),
        }),
      ),
    }),
  ),
)

/** What it says of each item, and how it ended. */
const ask = (variables: { readonly [name: string]: string }) =>
  Effect.promise(async () => {
    const { code, err, out } = await Program.runIn(
      { FLORIN_DIRECTORY: Commands.directory, ...variables },
      "doctor",
      "--json",
    )
    assert.notStrictEqual(out, "", err)
    const { checks: findings } = readFindings(out)
    const of = (verdict: string) =>
      findings.filter((each) => each.verdict === verdict).map(({ item }) => item)
    const seen = (name: string) => findings.find(({ item }) => item === name)?.seen
    return { code, err, out, findings, of, seen }
  })

/** The same node behind a port of its own: another host on this machine. */
const behindAnotherPort = (rpcUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const { hostname, port } = new URL(rpcUrl)
          const server = createServer((socket) => {
            const node = connect(Number(port), hostname)
            for (const [one, other] of [
              [socket, node],
              [node, socket],
            ] as const) {
              one.on("error", () => other.destroy()).pipe(other)
            }
          })
          server.listen(0, "127.0.0.1", () => resolve(server))
        }),
    ),
    (server) => Effect.sync(() => server.close()),
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return `http://127.0.0.1:${port}`
    }),
  )

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const keys = LocalChains.collectingAccounts.live.map(({ privateKey }) => privateKey).join(" ")

/** A service on the operator's socket of a directory that responds to every call alike. */
const answering = (
  { directory, name }: ReturnType<typeof Place.operatorSocket>,
  status: number,
  body: unknown,
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const server = http.createServer((_request, response) =>
        response
          .writeHead(status, { "content-type": "application/problem+json" })
          .end(JSON.stringify(body)),
      )
      await once(server.listen(join(directory, name)), "listening")
      chmodSync(join(directory, name), 0o600)
      return server
    }),
    (server) => Effect.sync(() => server.close()),
  )

describe("florin doctor", () => {
  it.live("says for every item what to do, with exit code 1 if something must be done", () =>
    Effect.gen(function* () {
      const { code, err, findings, of, seen } = yield* ask({})
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(
        findings.map(({ item }) => item),
        Object.keys(Checklist.rows),
      )
      assert.deepStrictEqual(of("mend"), ["database", "live", "host"])
      assert.include(err, "database, live, host")
      assert.deepStrictEqual(seen("database"), ["storage is embedded"])
      // Nothing is well only because nothing is there.
      assert.includeMembers(of("look"), ["hosts", "spending", "nodes", "gas", "books", "trial"])
    }),
  )

  it.live("folds checks that depend on a failed one", () =>
    Effect.promise(async () => {
      const { out } = await Program.runIn({ FLORIN_DIRECTORY: Commands.directory }, "doctor")
      const text = out.replaceAll(/\s+/gu, " ")
      assert.include(text, "- there is no server: schema, disk, clock, sameKeys")
      assert.include(text, "- no live chain is configured: hosts, spending, gasPrice")
      assert.include(
        text,
        "no service runs here: start `npx florin serve`: nodes, halted, gas, books, credit, stuck",
      )
      assert.include(text, "- no live account is configured: signers")
      assert.include(text, "test it with `npx florin alerts test`; or use Prometheus")
      for (const item of ["schema", "hosts", "nodes", "signers"] as const) {
        assert.notInclude(text, Checklist.rows[item].holds)
      }
      for (const item of ["database", "live", "trial", "secrets"] as const) {
        assert.include(text, Checklist.rows[item].holds)
      }
    }),
  )

  it.live("names a database that is away, although a service runs that needs it", () =>
    Effect.gen(function* () {
      const directory = Directory.make()
      yield* Effect.addFinalizer(() => Effect.sync(() => Directory.remove(directory)))
      const variables = {
        DATABASE_URL: "postgres://florin@127.0.0.1:1/florin",
        FLORIN_DIRECTORY: directory,
        FLORIN_PAY_LINK_HOST: "pay.example.com",
        FLORIN_SEAL_KEY: key(1),
        FLORIN_VAULT_KEY: key(2),
      }
      // What a service says whose database is away.
      const message = "the service is unavailable: try again in a moment"
      const place = yield* Effect.fromResult(
        Place.parse({ directory, storage: variables.DATABASE_URL }),
      )
      if (place._tag === "Memory") return assert.fail("the database is no place in memory")
      yield* answering(Place.operatorSocket(place), 503, { code: "unavailable", message })
      const { code, findings, seen } = yield* ask(variables)
      assert.strictEqual(code, 1)
      assert.match(seen("schema")?.[0] ?? "", /127\.0\.0\.1:1 cannot be used/u)
      assert.deepStrictEqual(seen("nodes"), [`the service that runs here failed: ${message}`])
      assert.lengthOf(findings, Object.keys(Checklist.rows).length)
    }),
  )

  it.live(
    "reports only what must be fixed, and no key",
    () =>
      Effect.gen(function* () {
        const [reached] = yield* LocalChains.start([chainId], null)
        if (reached === undefined) assert.fail("there is no chain")
        const other = yield* behindAnotherPort(reached.rpcUrl)
        const database = yield* Databases.address("migrated")
        const good = {
          DATABASE_URL: database,
          FLORIN_RPC: `8453=${reached.rpcUrl} 8453=${other}`,
          FLORIN_CHAINS: "8453.spendPerHour=20000000000000000",
          FLORIN_RELAYER_KEYS: keys,
          FLORIN_SEAL_KEY: key(1),
          FLORIN_VAULT_KEY: key(2),
          FLORIN_PAY_LINK_HOST: "pay.example.com",
          FLORIN_ROLE: "worker",
        }
        const askServed = (variables: { readonly [name: string]: string }) =>
          Effect.scoped(Effect.andThen(Commands.serve(database, variables), ask(variables)))
        const first = yield* askServed(good)
        // The tests' server forgets what it confirmed, to be quick.
        assert.deepStrictEqual(first.of("mend"), ["disk"], first.out)
        assert.include(first.seen("disk") ?? [], "fsync = off")
        assert.deepStrictEqual(first.of("decide"), [
          "gasPrice",
          "signers",
          "callers",
          "screening",
          "names",
          "treasury",
          "sweep",
          "alerts",
        ])
        assert.deepStrictEqual(first.of("look"), ["backup", "alarm", "trial"])
        for (const secret of [...keys.split(" "), key(1), key(2), database]) {
          assert.notInclude(first.out + first.err, secret)
        }

        const changed = yield* ask({ ...good, FLORIN_SEAL_KEY: key(3), FLORIN_VAULT_KEY: key(4) })
        assert.include(changed.of("mend"), "sameKeys")
        assert.match(changed.seen("sameKeys")?.join() ?? "", /sealKey is not.*vault key is not/u)

        const partner = yield* Effect.gen(function* () {
          const made = yield* Keys.createPartner({ name: "Corner", feeTerms: Fees.none })
          yield* Merchants.changePartner(made.id, { credit: { live: Credit.unlimited } })
          return made
        }).pipe(
          Effect.provide(
            Layer.mergeAll(
              Postgres.layer({ url: Redacted.make(database) }),
              Identifiers.layer,
              Confusables.layer,
            ),
          ),
        )
        const second = yield* askServed({
          ...good,
          FLORIN_RPC: `8453=${reached.rpcUrl}`,
          FLORIN_VAULT_KEY: key(1),
          FLORIN_NEW_KEYS: "true",
          FLORIN_RELAYER_KEYS: `0x${"7".repeat(64)}`,
          FLORIN_PRIVATE_WEBHOOKS: "true",
          FLORIN_RECONCILE_MINUTES: "0",
          FLORIN_PUBLIC_URL: "http://10.0.0.7",
        })
        assert.deepStrictEqual(
          second.of("mend"),
          ["disk", "hosts", "nodes", "gas", "secrets", "host", "inside", "books"],
          second.out,
        )
        assert.deepStrictEqual(second.seen("credit"), [`${partner.id} (Corner)`])
        assert.include(second.of("decide"), "credit")
        assert.match(second.seen("gas")?.join() ?? "", /^eip155:8453:0x[0-9a-fA-F]{40}: 0 ETH$/u)
      }).pipe(Effect.scoped),
    240_000,
  )
})
