import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import { assets, deadEnds, destinationOn, entry, register, registering } from "./settlements.ts"

const { play } = Laws

const subject: Laws.Subject = {
  good: ({ own }) =>
    Effect.succeed(registering(own.key, own.merchantId, [entry(assets.usdcOnBase)])),
  status: 201,
  needsIdempotencyKey: true,
}

const listOf = (key: string, merchantId: string) =>
  Effect.map(Scene.send({ path: `/v1/merchants/${merchantId}/settlements`, key }), ({ body }) =>
    Scene.list(body, "crypto"),
  )

const base = assets.usdcOnBase
const [, token = ""] = base.split("erc20:")
const address = "0x2222222222222222222222222222222222222222"

describe("POST /v1/merchants/{merchantId}/settlements/crypto", () => {
  Laws.ofPartners(subject)
  Laws.ofBodies(subject)
  Laws.ofIdempotency(subject, {
    body: () => ({ settlements: [entry(assets.usdcOnPolygon)] }),
    wrong: { settlements: [{ asset: "none", destination: "none" }] },
    elsewhere: ({ other, own }) =>
      Effect.gen(function* () {
        const second = yield* Scene.createMerchant(own.key)
        const live = yield* Scene.createMerchant(own.liveKey)
        return [
          registering(other.key, other.merchantId, [entry(base)]),
          registering(own.key, second, [entry(base)]),
          registering(own.liveKey, live, [entry(base)]),
          {
            path: "/v1/merchants",
            key: own.key,
            body: { merchantName: "Bakery", merchantEmail: "bread@example.com" },
          },
        ]
      }),
  })

  const good = entry(base)
  Laws.ofFields(subject, [
    ["an empty object", () => ({}), ["settlements"]],
    ...([null, 1, "text", true, {}, good] as const).map(
      (value) =>
        [
          `${JSON.stringify(value).slice(0, 20)} for the entries`,
          () => ({ settlements: value }),
          ["settlements"],
        ] as const,
    ),
    ["no entry", () => ({ settlements: [] }), ["settlements"]],
    [
      "51 entries",
      () => ({ settlements: Array.from({ length: 51 }, () => good) }),
      ["settlements"],
    ],
    ...([null, 1, "text", true, []] as const).map(
      (value) =>
        [
          `${JSON.stringify(value)} for an entry`,
          () => ({ settlements: [good, value] }),
          ["settlements[1]"],
        ] as const,
    ),
    ...([null, 1, true, [], {}] as const).flatMap((value) =>
      ["asset", "destination"].map(
        (name) =>
          [
            `${JSON.stringify(value)} for the ${name} of an entry`,
            () => ({ settlements: [{ ...good, [name]: value }] }),
            [`settlements[0].${name}`],
          ] as const,
      ),
    ),
    [
      "an empty entry",
      () => ({ settlements: [{}] }),
      ["settlements[0].asset", "settlements[0].destination"],
    ],
    [
      "the fourth entry for its destination, by its index",
      () => ({
        settlements: [
          entry(assets.usdcOnBase),
          entry(assets.usdcOnPolygon),
          entry(assets.usdcOnArbitrum),
          { asset: assets.usdcOnEthereum, destination: destinationOn(8453) },
        ],
      }),
      ["settlements[3].destination"],
    ],
    [
      "everything that is wrong with several entries at once",
      () => ({
        settlements: [
          { asset: "none", destination: "none" },
          good,
          { asset: "none", destination: good.destination },
          { asset: assets.eurcOnBase, destination: "none" },
        ],
      }),
      [
        "settlements[0].asset",
        "settlements[0].destination",
        "settlements[2].asset",
        "settlements[3].destination",
      ],
    ],
  ])

  play("answers the new destinations in their order, and nothing else", ({ own }) =>
    Effect.gen(function* () {
      const sent = Object.values(assets).map(entry)
      const answer = yield* Scene.send(registering(own.key, own.merchantId, sent))
      assert.strictEqual(answer.status, 201, answer.text)
      const ids = Scene.list(answer.body, "settlements").map((each) => Scene.text(each, "id"))
      assert.deepStrictEqual(answer.body, {
        settlements: sent.map((each, index) => ({ id: ids[index] ?? "", ...each })),
      })
      for (const id of ids) assert.match(id, /^crypto_[0-9A-Za-z]{1,64}$/u)
      assert.strictEqual(new Set(ids).size, sent.length)
      assert.sameDeepMembers(
        [...(yield* listOf(own.key, own.merchantId))],
        [...Scene.list(answer.body, "settlements")],
      )
    }),
  )

  const spelled = [
    ["as in EIP-55", base, `eip155:8453:${address}`],
    ["in lower case", base.toLowerCase(), `eip155:8453:0x${"ab".repeat(20)}`],
    [
      "in upper case",
      `eip155:8453/erc20:0x${token.slice(2).toUpperCase()}`,
      `eip155:8453:0x${"AB".repeat(20)}`,
    ],
    [
      "with a checksum that is wrong for the asset",
      `eip155:8453/erc20:0x${token.slice(2).replace("f", "F")}`,
      destinationOn(8453),
    ],
  ] as const
  for (const [how, asset, destination] of spelled) {
    play(`takes addresses ${how}, and answers them as they were sent`, ({ own }) =>
      Effect.gen(function* () {
        const sent = registering(own.key, own.merchantId, [{ asset, destination }])
        const answer = yield* Scene.send(sent)
        assert.strictEqual(answer.status, 201, answer.text)
        const id = Scene.text(answer.body, "settlements", 0, "id")
        assert.deepStrictEqual(answer.body, { settlements: [{ id, asset, destination }] })
        assert.deepStrictEqual(yield* listOf(own.key, own.merchantId), [{ id, asset, destination }])
      }),
    )
  }

  play("ignores members of an entry that it does not know", ({ own }) =>
    Effect.gen(function* () {
      const extra = { ...good, id: "crypto_1", chain: 1, merchantId: "mrch_0" }
      const sent = registering(own.key, own.merchantId, [extra])
      const answer = yield* Scene.send(sent)
      const id = Scene.text(answer.body, "settlements", 0, "id")
      assert.notStrictEqual(id, extra.id)
      assert.deepStrictEqual(answer.body, { settlements: [{ id, ...good }] })
      const again = yield* Scene.send({ ...sent, body: { settlements: [good] } })
      assert.strictEqual(again.text, answer.text)
    }),
  )

  const wrongAssets = [
    "",
    "USDC",
    token,
    "eip155:8453",
    "eip155:8453/erc20",
    "eip155:8453/erc20:",
    "eip155:8453/erc20:0x",
    `eip155:8453/erc20:${token}0`,
    `eip155:8453/erc20:${token.slice(2)}`,
    `eip155:8453/erc20:${token}/1`,
    `eip155:8453/erc721:${token}`,
    `eip155:8453/ERC20:${token}`,
    `EIP155:8453/erc20:${token}`,
    `eip155:08453/erc20:${token}`,
    `eip155:0x2105/erc20:${token}`,
    `eip155:/erc20:${token}`,
    ` ${base}`,
    `${base} `,
    `caip19/${base}`,
    `CAIP19/${base}`,
    `caip19/caip19/${base}`,
    "iso4217/USD",
    // A token that is not supported, one of another chain, and chains that are not.
    "eip155:8453/erc20:0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA",
    "eip155:8453/erc20:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
    `eip155:84532/erc20:${token}`,
    "eip155:42161/erc20:0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8",
    "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "x".repeat(10_000),
  ]
  for (const asset of wrongAssets) {
    play(`refuses the asset ${JSON.stringify(asset.slice(0, 80))}`, (scene) =>
      Laws.invalid(scene, registering(scene.own.key, scene.own.merchantId, [{ ...good, asset }]), [
        "settlements[0].asset",
      ]),
    )
  }

  const wrongDestinations = [
    "",
    "0x",
    address,
    "eip155:8453",
    "eip155:8453:",
    `eip155:8453:${address}0`,
    `eip155:8453:${address.slice(0, -1)}`,
    `eip155:8453:${address.slice(2)}`,
    `eip155:8453:0X${address.slice(2)}`,
    `eip155:8453:0xg${address.slice(3)}`,
    `eip155:8453:${address}:1`,
    ` eip155:8453:${address}`,
    `EIP155:8453:${address}`,
    "eip155:8453:vitalik.eth",
    // Another chain, and one that is none.
    `eip155:1:${address}`,
    `eip155:84532:${address}`,
    "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv",
    // A checksum that does not hold.
    "eip155:8453:0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    `eip155:8453:${token.toLowerCase()}`,
    "x".repeat(10_000),
  ]
  for (const destination of wrongDestinations) {
    play(`refuses the destination ${JSON.stringify(destination.slice(0, 80))}`, (scene) =>
      Laws.invalid(
        scene,
        registering(scene.own.key, scene.own.merchantId, [{ asset: base, destination }]),
        ["settlements[0].destination"],
      ),
    )
  }

  play("S15: refuses an account that no merchant has, and says what it is", (scene) =>
    Effect.gen(function* () {
      const { key, merchantId } = scene.own
      for (const [account, what] of deadEnds) {
        const answer = yield* Laws.invalid(
          scene,
          registering(key, merchantId, [{ asset: base, destination: `eip155:8453:${account}` }]),
          ["settlements[0].destination"],
        )
        assert.include(answer.text, `the destination is ${what}`)
      }
    }),
  )

  play("refuses an asset that is named twice, in whatever spelling", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      for (const asset of [base, base.toLowerCase()]) {
        const sent = registering(own.key, own.merchantId, [
          entry(assets.usdcOnPolygon),
          good,
          { ...good, asset },
        ])
        yield* Laws.refused(scene, sent, 409, "settlement_asset_conflict")
      }
      assert.deepStrictEqual(yield* listOf(own.key, own.merchantId), [])
    }),
  )

  play("refuses an asset that is registered, and then registers none of the others", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      yield* register(own.key, own.merchantId, [base])
      for (const asset of [base, base.toLowerCase()]) {
        const sent = registering(own.key, own.merchantId, [
          entry(assets.usdcOnPolygon),
          { asset, destination: `eip155:8453:${address}` },
        ])
        yield* Laws.refused(scene, sent, 409, "settlement_asset_conflict")
      }
      assert.lengthOf(yield* listOf(own.key, own.merchantId), 1)
      // Each merchant has its own.
      yield* register(other.key, other.merchantId, [base])
      yield* register(own.key, yield* Scene.createMerchant(own.key), [base])
    }),
  )

  play("judges the fields of all entries before what is registered", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      yield* register(own.key, own.merchantId, [base])
      yield* Laws.invalid(
        scene,
        registering(own.key, own.merchantId, [good, good, { ...good, destination: "none" }]),
        ["settlements[2].destination"],
      )
      assert.lengthOf(yield* listOf(own.key, own.merchantId), 1)
    }),
  )

  play("refuses 50 entries only for what is in them", (scene) =>
    Effect.gen(function* () {
      const { own } = scene
      // There are not 50 assets: as many entries as may be name some of them twice.
      const entries = Array.from({ length: 50 }, () => good)
      const sent = registering(own.key, own.merchantId, entries)
      yield* Laws.refused(scene, sent, 409, "settlement_asset_conflict")
    }),
  )

  play("registers an asset once, however many ask at once", ({ own }) =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => Scene.send(registering(own.key, own.merchantId, [good]))),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        1,
      )
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        Scene.isProblem(answer, 409, "settlement_asset_conflict")
      }
      assert.lengthOf(yield* listOf(own.key, own.merchantId), 1)
    }),
  )

  play("tells no absent merchant from a deleted, another partner's or malformed one", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const deleted = yield* Scene.createMerchant(own.key)
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${deleted}`, key: own.key })
      for (const [key, id] of [
        [own.key, deleted],
        [own.key, other.merchantId],
        [own.liveKey, own.merchantId],
        [own.key, "mrch_0"],
        [own.key, "x"],
      ] as const) {
        yield* Laws.refused(scene, registering(key, id, [good]), 404, "not_found")
        // The body is judged before it is known whom it is about.
        yield* Laws.invalid(scene, registering(key, id, [{ ...good, asset: "none" }]), [
          "settlements[0].asset",
        ])
      }
    }),
  )

  play("remembers no call about a merchant that does not exist", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const sent = registering(own.key, other.merchantId, [good])
      yield* Laws.refused(scene, sent, 404, "not_found")
      yield* Laws.refused(
        scene,
        { ...sent, body: { settlements: [entry(assets.usdcOnPolygon)] } },
        404,
        "not_found",
      )
    }),
  )

  play("answers a repeated call as the first one, whatever became of it", ({ own }) =>
    Effect.gen(function* () {
      const sent = registering(own.key, own.merchantId, [good])
      const first = yield* Scene.send(sent)
      const id = Scene.text(first.body, "settlements", 0, "id")
      const registered = `${sent.path}/${id}`
      const merchant = `/v1/merchants/${own.merchantId}`
      const changes: ReadonlyArray<Scene.Sent> = [
        { method: "PUT", path: registered, body: { destination: `eip155:8453:${address}` } },
        { method: "DELETE", path: registered },
        { method: "DELETE", path: merchant },
      ]
      for (const change of changes) {
        assert.strictEqual((yield* Scene.send({ ...change, key: own.key })).status, 200)
        const again = yield* Scene.send(sent)
        assert.strictEqual(again.status, 201, again.text)
        assert.strictEqual(again.text, first.text)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      }
    }),
  )
})
