import { assert, describe, it } from "@effect/vitest"
import {
  pay,
  payById,
  type PayOptions,
  type Progress,
  type Resume,
  type SignerRequest,
} from "../src/Client.ts"
import {
  account,
  address,
  build,
  collectData,
  final,
  info,
  option,
  paid,
  processing,
  send,
  sign,
  state,
  succeeded,
  transaction,
  typedData,
} from "./Fixtures.ts"
import { refusal, service, type ScriptedResponse, type Seen } from "./Script.ts"

type ScriptedResponses = { readonly [word: string]: ReadonlyArray<ScriptedResponse> }

const offers = (
  ...options: ReadonlyArray<ReturnType<typeof option>>
): ReadonlyArray<ScriptedResponse> => [{ json: { options, info } }]
const json = (...values: ReadonlyArray<unknown>): ReadonlyArray<ScriptedResponse> =>
  values.map((value) => ({ json: value }))

const paymentId = "pay_1"
const root = `/v1/gateway/payment/${paymentId}`

/** Pays a scripted service with a wallet that signs everything, or returns `outputs`. */
const run = async (
  answers: ScriptedResponses,
  how: Partial<PayOptions> & {
    readonly link?: string
    readonly outputs?: ReadonlyArray<unknown>
    readonly onCall?: (seen: Seen) => void
    readonly onSleep?: () => void
  } = {},
) => {
  const { link = paymentId, outputs = ["0xa1", "0xa2", "0xa3"], onCall, onSleep, ...options } = how
  const script = service(new Map(Object.entries(answers)), {
    ...(onCall && { call: onCall }),
    ...(onSleep && { sleep: onSleep }),
  })
  const requests: Array<SignerRequest> = []
  const progress: Array<Progress> = []
  const result = await pay(link, {
    baseUrl: "https://api.example",
    apiKey: "flr_test_wk_1",
    payLinkHost: "pay.example",
    accounts: [account],
    fetch: script.fetch,
    timing: script.timing,
    signer: {
      request: async (request) => {
        requests.push(request)
        const output = outputs[requests.length - 1]
        if (output instanceof Error) throw output
        return output
      },
    },
    onProgress: (step) => progress.push(step),
    ...options,
  })
  const bodyOf = (word: string) => script.seen.findLast(({ path }) => path.endsWith(word))?.body
  return { result, requests, progress, bodyOf, ...script }
}

const resumeOf = ({ result }: { readonly result: object }): Resume => {
  const resume = "resume" in result ? result.resume : undefined
  assert.isDefined(resume)
  // Through JSON, as a wallet keeps it.
  const kept: Resume = JSON.parse(JSON.stringify(resume))
  return kept
}

describe("pay", () => {
  it("requests options, signs, confirms, and waits for the final state", async () => {
    const paying = await run({
      options: offers(option()),
      confirm: json(processing),
      status: json(processing, { ...processing, pollInMs: null }, succeeded),
    })
    assert.deepStrictEqual(paying.result, {
      _tag: "Succeeded",
      paid,
      paymentId,
      paidHere: true,
    })
    assert.deepStrictEqual(
      paying.seen.map(({ method, path, query }) => `${method} ${path}${query}`),
      [
        `POST ${root}/options?includePaymentInfo=true`,
        `POST ${root}/confirm?maxPollMs=20000`,
        `GET ${root}/status?maxPollMs=20000`,
        `GET ${root}/status?maxPollMs=20000`,
        `GET ${root}/status?maxPollMs=20000`,
      ],
    )
    assert.deepStrictEqual(paying.slept, [1500, 1500, 1000])
    assert.deepStrictEqual(paying.bodyOf("options"), { accounts: [account] })
    assert.deepStrictEqual(paying.bodyOf("confirm"), {
      optionId: "option-1",
      results: [{ type: "walletRpc", data: ["0xa1"] }],
    })
    assert.deepStrictEqual(paying.requests, [
      { chainId: "eip155:8453", method: "eth_signTypedData_v4", params: [address, typedData] },
    ])
  })

  it("requests the costs of options only with includeCosts", async () => {
    const { seen } = await run(
      { options: offers(option()), confirm: json(succeeded) },
      { includeCosts: true },
    )
    assert.strictEqual(seen[0]?.query, "?includePaymentInfo=true&includeCosts=true")
  })

  it("lets the service hold calls for maxPollMs", async () => {
    const { seen } = await run(
      { options: offers(option()), confirm: json(processing), status: json(succeeded) },
      { maxPollMs: 0 },
    )
    assert.deepStrictEqual(
      seen.slice(1).map(({ query }) => query),
      ["?maxPollMs=0", "?maxPollMs=0"],
    )
  })

  it("reports every step", async () => {
    const offered = option({ actions: [send, state] })
    const { progress } = await run({
      options: offers(offered),
      confirm: json(processing),
      status: json(succeeded),
    })
    const kept = {
      paymentId,
      optionId: "option-1",
      account,
      actions: [send, state],
    }
    assert.deepStrictEqual<ReadonlyArray<Progress>>(progress, [
      { _tag: "Offered", options: [offered], info },
      {
        _tag: "Executing",
        step: 1,
        steps: 2,
        method: "eth_sendTransaction",
        resume: { ...kept, outputs: [] },
      },
      {
        _tag: "Executed",
        step: 1,
        steps: 2,
        method: "eth_sendTransaction",
        resume: { ...kept, outputs: ["0xa1"] },
      },
      {
        _tag: "Executing",
        step: 2,
        steps: 2,
        method: "personal_sign",
        resume: { ...kept, outputs: ["0xa1"] },
      },
      {
        _tag: "Executed",
        step: 2,
        steps: 2,
        method: "personal_sign",
        resume: { ...kept, outputs: ["0xa1", "0xa2"] },
      },
      { _tag: "Confirming" },
      { _tag: "Processing" },
    ])
  })

  it("continues if onProgress throws", async () => {
    const { result } = await run(
      { options: offers(option()), confirm: json(succeeded) },
      {
        onProgress: () => {
          throw new Error("a fault of the screen")
        },
      },
    )
    assert.strictEqual(result._tag, "Succeeded")
  })

  it("fetches build actions, and executes each step in order", async () => {
    const paying = await run({
      options: offers(option({ actions: [build] })),
      fetch: json({ actions: [send, sign] }),
      confirm: json(succeeded),
    })
    assert.strictEqual(paying.result._tag, "Succeeded")
    assert.deepStrictEqual(paying.bodyOf("fetch"), { optionId: "option-1", data: build.data })
    assert.deepStrictEqual(paying.requests, [
      { chainId: "eip155:8453", method: "eth_sendTransaction", params: [transaction] },
      { chainId: "eip155:8453", method: "eth_signTypedData_v4", params: [address, typedData] },
    ])
    assert.deepStrictEqual(paying.bodyOf("confirm"), {
      optionId: "option-1",
      results: [
        { type: "walletRpc", data: ["0xa1"] },
        { type: "walletRpc", data: ["0xa2"] },
      ],
    })
  })

  it("keeps the order of actions if only some are built", async () => {
    const { requests } = await run({
      options: offers(option({ actions: [send, build, state] })),
      fetch: json({ actions: [sign] }),
      confirm: json(succeeded),
    })
    assert.deepStrictEqual(
      requests.map(({ method }) => method),
      ["eth_sendTransaction", "eth_signTypedData_v4", "personal_sign"],
    )
  })

  it("uses the option that the payer chooses, by default the first", async () => {
    const options = offers(option(), option({ id: "option-2" }))
    const first = await run({ options, confirm: json(succeeded) })
    assert.deepInclude(first.bodyOf("confirm"), { optionId: "option-1" })
    const second = await run(
      { options, confirm: json(succeeded) },
      { chooseOption: (list) => list.at(1) },
    )
    assert.deepInclude(second.bodyOf("confirm"), { optionId: "option-2" })
  })

  it("reads the link in each of its forms, and sends no request for any other text", async () => {
    const answers = { options: offers(option()), confirm: json(succeeded) }
    for (const link of ["https://pay.example/?pid=pay_1", " https://pay.example/pay_1\n"]) {
      // oxlint-disable-next-line no-await-in-loop -- One wallet, one payment at a time.
      assert.strictEqual((await run(answers, { link })).result._tag, "Succeeded")
    }
    const foreign = await run(answers, { link: "https://evil.example/?pid=pay_1" })
    assert.deepStrictEqual(foreign.result, { _tag: "NotAPaymentLink", link: { _tag: "Other" } })
    const forged = await run(answers, { link: "http://pay.example/?pid=pay_1" })
    assert.deepInclude(forged.result, { _tag: "NotAPaymentLink" })
    assert.isEmpty([...foreign.seen, ...forged.seen])
    const local = { link: "http://localhost:3000/pay_1", localOrigins: ["http://localhost:3000"] }
    assert.strictEqual((await run(answers, local)).result._tag, "Succeeded")
  })
})

describe("pay, when there is nothing to sign", () => {
  it.each([succeeded, final("failed"), final("expired"), final("cancelled")])(
    "returns AlreadyFinal for a payment that is $status",
    async (status) => {
      const { result, requests, asked } = await run({
        options: json({ options: null, info: { ...info, status: status.status } }),
        status: json(status),
      })
      assert.deepStrictEqual(result, { _tag: "AlreadyFinal", status: status.status, paymentId })
      assert.isEmpty(requests)
      assert.deepStrictEqual(asked(), [`POST ${root}/options`, `GET ${root}/status`])
    },
  )

  it("returns AlreadyFinal for a payment that expired", async () => {
    const { result, requests } = await run({ options: [refusal(410, "payment_expired")] })
    assert.deepStrictEqual(result, { _tag: "AlreadyFinal", status: "expired", paymentId })
    assert.isEmpty(requests)
  })

  it("waits for a payment that is processing, and reports that it was not paid here", async () => {
    const { result, requests } = await run({
      options: json({ options: null }),
      status: json(processing, succeeded),
    })
    assert.deepStrictEqual(result, { _tag: "Succeeded", paid, paymentId, paidHere: false })
    assert.isEmpty(requests)
  })

  it("returns NoOption if there is none", async () => {
    const none = await run({ options: offers() })
    assert.deepStrictEqual(none.result, { _tag: "NoOption", info, paymentId })
    const odd = await run({
      options: json({ options: null }),
      status: json({ status: "requires_action", isFinal: false, info: null }),
    })
    assert.deepStrictEqual(odd.result, { _tag: "NoOption", info: undefined, paymentId })
  })

  it("returns Declined if the payer chooses none", async () => {
    const { result, requests } = await run(
      { options: offers(option()) },
      { chooseOption: async () => undefined },
    )
    assert.deepStrictEqual(result, { _tag: "Declined", at: "option", paymentId })
    assert.isEmpty(requests)
  })

  it.each<[string, ScriptedResponse, string]>([
    ["a refused payer", refusal(451, "sanctioned_user"), "Refused"],
    ["a payment that is not there", refusal(404, "payment_not_found"), "Refused"],
    ["a response that is not the service's", { text: "<html>" }, "Unreadable"],
  ])("stops for %s", async (_, answer, tag) => {
    const { result, requests } = await run({ options: [answer] })
    assert.strictEqual(result._tag, "Stopped")
    if (result._tag !== "Stopped") return
    assert.strictEqual(result.error._tag, tag)
    assert.notProperty(result, "resume")
    assert.isEmpty(requests)
  })

  it("throws an error of the wallet's own callback", async () => {
    const fault = new Error("a fault of the wallet")
    const error = await run(
      { options: offers(option()) },
      { chooseOption: () => Promise.reject(fault) },
    ).catch((caught: unknown) => caught)
    assert.strictEqual(error, fault)
  })
})

describe("pay, when data is needed", () => {
  const needing = option({ id: "option-data", collectData })
  const fields = [
    { id: "fullName", value: "Ada Lovelace" },
    { id: "dob", value: "1815-12-10" },
    { id: "tosConfirmed", value: "true" },
  ]

  it("passes the option's own form to the wallet, before anything is fetched or signed", async () => {
    const order: Array<string> = []
    const { result, progress } = await run(
      {
        options: json({
          options: [option({ actions: [build], collectData })],
          collectData: { ...collectData, url: "https://pay.example/collect/?all" },
          info,
        }),
        fetch: json({ actions: [sign] }),
        confirm: json(succeeded),
      },
      {
        onCall: ({ path }) => order.push(path.slice(root.length)),
        collectData: async ({ url, fields: asked, schema, option: chosen }) => {
          order.push("data")
          assert.deepStrictEqual({ url, fields: asked, schema }, collectData)
          assert.strictEqual(chosen.id, "option-1")
          return "completed"
        },
        signer: {
          request: async () => {
            order.push("sign")
            return "0xa1"
          },
        },
      },
    )
    assert.strictEqual(result._tag, "Succeeded")
    assert.deepStrictEqual(order, ["/options", "data", "/fetch", "sign", "/confirm"])
    assert.includeMembers(
      progress.map(({ _tag }) => _tag),
      ["CollectingData"],
    )
  })

  it("sends no data if the hosted form did", async () => {
    const { bodyOf } = await run(
      { options: offers(needing), confirm: json(succeeded) },
      { collectData: async () => "completed" },
    )
    assert.notProperty(bodyOf("confirm"), "collectedData")
  })

  it("sends the data of the wallet's own form", async () => {
    const { result, bodyOf } = await run(
      { options: offers(needing), confirm: json(succeeded) },
      { collectData: async () => ({ fields }) },
    )
    assert.strictEqual(result._tag, "Succeeded")
    assert.deepInclude(bodyOf("confirm"), { collectedData: { fields } })
  })

  it("requests no data if the chosen option needs none", async () => {
    const { result, bodyOf } = await run(
      { options: json({ options: [option()], collectData, info }), confirm: json(succeeded) },
      { collectData: () => Promise.reject(new Error("nobody was to ask")) },
    )
    assert.strictEqual(result._tag, "Succeeded")
    assert.notProperty(bodyOf("confirm"), "collectedData")
  })

  it("offers only options without data to a wallet without a form", async () => {
    const { result, bodyOf, progress } = await run({
      options: offers(needing, option()),
      confirm: json(succeeded),
    })
    assert.strictEqual(result._tag, "Succeeded")
    assert.deepInclude(bodyOf("confirm"), { optionId: "option-1" })
    assert.deepStrictEqual(progress[0], { _tag: "Offered", options: [option()], info })
    const none = await run({ options: offers(needing) })
    assert.deepStrictEqual(none.result, { _tag: "DataNeeded", paymentId })
    assert.isEmpty(none.requests)
  })

  it("returns Declined if the payer sends no data", async () => {
    const { result, requests } = await run(
      { options: offers(needing) },
      { collectData: async () => undefined },
    )
    assert.deepStrictEqual(result, { _tag: "Declined", at: "data", paymentId })
    assert.isEmpty(requests)
  })

  it("sends nothing unless the terms are accepted", async () => {
    const { result, requests, asked } = await run(
      { options: offers(needing) },
      { collectData: async () => ({ fields: fields.slice(0, 2) }) },
    )
    assert.deepStrictEqual(result, { _tag: "DataMissing", fields: ["tosConfirmed"], paymentId })
    assert.isEmpty(requests)
    assert.deepStrictEqual(asked(), [`POST ${root}/options`])
  })
})

describe("pay, when something fails", () => {
  it("repeats the same confirm after a lost response, and signs once", async () => {
    const { result, requests, seen } = await run({
      options: offers(option()),
      confirm: ["lost", refusal(502, "bad_gateway"), { json: succeeded }],
    })
    assert.strictEqual(result._tag, "Succeeded")
    assert.lengthOf(requests, 1)
    const confirms = seen.filter(({ path }) => path.endsWith("/confirm"))
    assert.lengthOf(confirms, 3)
    for (const { body } of confirms) assert.deepStrictEqual(body, confirms[0]?.body)
  })

  it("resumes where it stopped, without signing again", async () => {
    const lost: ReadonlyArray<ScriptedResponse> = ["lost", "lost", "lost", "lost"]
    const stopped = await run({ options: offers(option()), confirm: lost })
    assert.strictEqual(stopped.result._tag, "Stopped")
    const again = await run({ confirm: json(succeeded) }, { resume: resumeOf(stopped) })
    assert.strictEqual(again.result._tag, "Succeeded")
    assert.isEmpty(again.requests)
    assert.deepStrictEqual(again.asked(), [`POST ${root}/confirm`])
    assert.deepStrictEqual(again.bodyOf("confirm"), stopped.bodyOf("confirm"))
  })

  it("keeps a transaction that was sent if the payer refuses the next step", async () => {
    const refused = new Error("User rejected the request")
    const stopped = await run(
      { options: offers(option({ actions: [send, state] })) },
      { outputs: ["0x5e17", refused] },
    )
    assert.strictEqual(stopped.result._tag, "Stopped")
    if (stopped.result._tag !== "Stopped") return
    const { error } = stopped.result
    assert.deepInclude(error, { _tag: "SignerFailed", method: "personal_sign", cause: refused })
    assert.notInclude(error.message, refused.message)
    assert.deepStrictEqual(resumeOf(stopped).outputs, ["0x5e17"])

    const again = await run(
      { confirm: json(succeeded) },
      { resume: resumeOf(stopped), outputs: ["0x51"] },
    )
    assert.deepStrictEqual(
      again.requests.map(({ method }) => method),
      ["personal_sign"],
    )
    assert.deepStrictEqual(again.bodyOf("confirm"), {
      optionId: "option-1",
      results: [
        { type: "walletRpc", data: ["0x5e17"] },
        { type: "walletRpc", data: ["0x51"] },
      ],
    })
  })

  it("resumes with the same collected data", async () => {
    const fields = [
      { id: "fullName", value: "Ada Lovelace" },
      { id: "dob", value: "1815-12-10" },
      { id: "tosConfirmed", value: "true" },
    ]
    const stopped = await run(
      { options: offers(option({ collectData })), confirm: [refusal(429, "rate_limited")] },
      { collectData: async () => ({ fields }) },
    )
    const again = await run({ confirm: json(succeeded) }, { resume: resumeOf(stopped) })
    assert.deepStrictEqual(again.bodyOf("confirm"), stopped.bodyOf("confirm"))
  })

  it("refuses to resume another payment", async () => {
    const stopped = await run({
      options: offers(option()),
      confirm: [refusal(429, "rate_limited")],
    })
    const resume = { ...resumeOf(stopped), paymentId: "pay_2" }
    const error = await run({}, { resume }).catch((caught: unknown) => caught)
    assert.propertyVal(error, "message", "resume is of another payment than the link")
  })

  it("accepts an empty signature, as contracts approve on chain, but no empty hash", async () => {
    const signed = await run(
      { options: offers(option()), confirm: json(succeeded) },
      { outputs: ["0x"] },
    )
    assert.strictEqual(signed.result._tag, "Succeeded")
    assert.include(JSON.stringify(signed.bodyOf("confirm")), '["0x"]')
    const unsent = await run(
      { options: offers(option({ actions: [send, state] })) },
      { outputs: ["0x"] },
    )
    assert.strictEqual(unsent.result._tag, "Stopped")
    if (unsent.result._tag !== "Stopped") return
    assert.deepInclude(unsent.result.error, { _tag: "SignerFailed", method: "eth_sendTransaction" })
  })

  it.each([undefined, null, 7, "", "0xzz", "hash"])(
    "refuses an output that is not hex: %j",
    async (output) => {
      const { result, asked } = await run({ options: offers(option()) }, { outputs: [output] })
      assert.strictEqual(result._tag, "Stopped")
      if (result._tag !== "Stopped") return
      assert.deepInclude(result.error, { _tag: "SignerFailed", method: "eth_signTypedData_v4" })
      assert.notProperty(result, "resume")
      assert.deepStrictEqual(asked(), [`POST ${root}/options`])
    },
  )

  it("returns OptionExpired before and after signing", async () => {
    const expired = [refusal(409, "quote_expired")]
    const before = await run({ options: offers(option({ actions: [build] })), fetch: expired })
    assert.deepInclude(before.result, { _tag: "OptionExpired", paymentId })
    assert.notProperty(before.result, "resume")
    assert.isEmpty(before.requests)
    const after = await run({ options: offers(option()), confirm: expired })
    assert.deepInclude(after.result, { _tag: "OptionExpired", paymentId })
    assert.deepStrictEqual(resumeOf(after).outputs, ["0xa1"])
    assert.lengthOf(
      after.asked().filter((call) => call.endsWith("/confirm")),
      1,
    )
  })

  it("returns AlreadyFinal if the payment expires while the payer signs, with the outputs to resume", async () => {
    const late = await run({
      options: offers(option()),
      confirm: [refusal(410, "payment_expired")],
    })
    assert.deepInclude(late.result, { _tag: "AlreadyFinal", status: "expired" })
    assert.deepStrictEqual(resumeOf(late).outputs, ["0xa1"])
  })

  it("requests the status if the confirm is refused for the payment's state", async () => {
    const confirm = [refusal(400, "invalid_state")]
    const cancelled = await run({
      options: offers(option()),
      confirm,
      status: json(final("cancelled")),
    })
    assert.deepInclude(cancelled.result, { _tag: "AlreadyFinal", status: "cancelled" })
    assert.deepStrictEqual(resumeOf(cancelled).outputs, ["0xa1"])

    const taken = await run({
      options: offers(option()),
      confirm,
      status: json(processing, succeeded),
    })
    assert.deepInclude(taken.result, { _tag: "Succeeded", paidHere: false })

    const open = await run({
      options: offers(option()),
      confirm,
      status: json({ status: "requires_action", isFinal: false, info: null }),
    })
    assert.strictEqual(open.result._tag, "Stopped")
    const unseen = await run({ options: offers(option()), confirm, status: [{ text: "<html>" }] })
    assert.strictEqual(unseen.result._tag, "Stopped")
    if (unseen.result._tag !== "Stopped") return
    assert.deepInclude(unseen.result.error, { code: "invalid_state" })
  })

  it("does not repeat a refused confirm", async () => {
    const { result, asked } = await run({
      options: offers(option()),
      confirm: [refusal(422, "params_validation", { issues: [{ field: "x", message: "wrong" }] })],
    })
    assert.strictEqual(result._tag, "Stopped")
    if (result._tag !== "Stopped") return
    assert.deepInclude(result.error, { status: 422, code: "params_validation", requestId: "req_1" })
    assert.deepStrictEqual(asked(), [`POST ${root}/options`, `POST ${root}/confirm`])
  })

  it.each([
    ["declined_user", "declined_user"],
    [null, null],
    [undefined, null],
  ] as const)("requests the reason why a payment failed: %s", async (failureCode, told) => {
    const { result } = await run({
      options: offers(option()),
      confirm: json(final("failed")),
      status: json(final("failed", failureCode === undefined ? {} : { failureCode })),
    })
    assert.deepStrictEqual(result, {
      _tag: "Failed",
      failureCode: told,
      paymentId,
      paidHere: true,
    })
  })

  it("does not request the reason if the status has it", async () => {
    const { result, asked } = await run({
      options: offers(option()),
      confirm: json(processing),
      status: json(final("failed", { failureCode: "declined_user" })),
    })
    assert.deepInclude(result, { _tag: "Failed", failureCode: "declined_user" })
    assert.lengthOf(asked(), 3)
  })

  it("returns Unwatched if only the waiting failed", async () => {
    const { result } = await run({
      options: offers(option()),
      confirm: json(processing),
      status: [{ json: processing }, "lost", "lost", "lost", "lost"],
    })
    assert.strictEqual(result._tag, "Unwatched")
    if (result._tag !== "Unwatched") return
    assert.strictEqual(result.error._tag, "Unreachable")
    assert.isTrue(result.paidHere)
    assert.notProperty(result, "resume")
  })
})

describe("pay, when it is stopped", () => {
  const aborting = (at: string) => {
    const controller = new AbortController()
    const onCall = ({ path }: Seen) => {
      if (path.endsWith(at)) controller.abort()
    }
    return { signal: controller.signal, onCall }
  }

  it("sends no request if it is stopped before", async () => {
    const { result, seen } = await run(
      { options: offers(option()) },
      { signal: AbortSignal.abort() },
    )
    assert.deepInclude(result, { _tag: "Stopped" })
    assert.isEmpty(seen)
  })

  it("signs nothing if it is stopped before signing", async () => {
    const answers = { options: offers(option()) }
    const early = await run(answers, aborting("/options"))
    const controller = new AbortController()
    const late = await run(answers, {
      signal: controller.signal,
      chooseOption: async (options) => {
        controller.abort()
        return options.at(0)
      },
    })
    for (const { result, requests } of [early, late]) {
      assert.strictEqual(result._tag, "Stopped")
      if (result._tag !== "Stopped") return
      assert.strictEqual(result.error._tag, "Aborted")
      assert.isEmpty(requests)
    }
  })

  it("keeps the outputs for a resume", async () => {
    const controller = new AbortController()
    const signing = await run(
      { options: offers(option({ actions: [send, state] })) },
      {
        signal: controller.signal,
        signer: {
          request: async () => {
            controller.abort()
            return "0x5e17"
          },
        },
      },
    )
    assert.deepInclude(signing.result, { _tag: "Stopped" })
    assert.deepStrictEqual(resumeOf(signing).outputs, ["0x5e17"])
    const confirming = await run(
      { options: offers(option()), confirm: ["silence"] },
      aborting("/confirm"),
    )
    assert.deepInclude(confirming.result, { _tag: "Stopped" })
    assert.deepStrictEqual(resumeOf(confirming).outputs, ["0xa1"])
  })

  it("returns Unwatched if the payment is processing", async () => {
    const controller = new AbortController()
    const { result } = await run(
      { options: offers(option()), confirm: json(processing), status: json(processing) },
      { signal: controller.signal, onSleep: () => controller.abort() },
    )
    assert.deepInclude(result, { _tag: "Unwatched", paidHere: true })
  })
})

describe("pay, when the service requests something unsafe", () => {
  const foreign = "0x2222222222222222222222222222222222222222"
  const on = (action: typeof sign, data: Partial<(typeof sign)["data"]>) => ({
    ...action,
    data: { ...action.data, ...data },
  })

  it.each<[string, ReturnType<typeof option>]>([
    ["another account's signature", option({ actions: [on(sign, { params: [foreign, "{}"] })] })],
    [
      "another account's transaction",
      option({
        actions: [on(send, { params: [JSON.stringify({ ...transaction, from: foreign })] })],
      }),
    ],
    ["another account's statement", option({ actions: [on(state, { params: ["0x1", foreign] })] })],
    ["another chain", option({ actions: [on(sign, { chain_id: "eip155:1" })] })],
    ["a transaction that is not JSON", option({ actions: [on(send, { params: ["{"] })] })],
    [
      "a transaction without data",
      option({ actions: [on(send, { params: ['{"from":"","to":""}'] })] }),
    ],
    [
      "a transaction with a number",
      option({ actions: [on(send, { params: [JSON.stringify({ ...transaction, value: 0 })] })] }),
    ],
    ["no parameters", option({ actions: [on(sign, { params: [] })] })],
    ["no transaction", option({ actions: [on(send, { params: [] })] })],
    [
      "an unknown method, after a good step",
      option({ actions: [send, on(sign, { method: "eth_sign" })] }),
    ],
    ["a method that every object has", option({ actions: [on(sign, { method: "toString" })] })],
    ["an account that was not given", option({ account: `eip155:8453:${foreign}` })],
    [
      "an account that was not given, in every part",
      option({
        account: `eip155:8453:${foreign}`,
        actions: [on(sign, { params: [foreign, "{}"] })],
      }),
    ],
    ["no action", option({ actions: [] })],
  ])("executes nothing: %s", async (_, offered) => {
    const { result, requests, asked } = await run({ options: offers(offered) })
    assert.strictEqual(result._tag, "Stopped")
    if (result._tag !== "Stopped") return
    assert.strictEqual(result.error._tag, "UnsafeAction")
    assert.isEmpty(requests)
    assert.deepStrictEqual(asked(), [`POST ${root}/options`])
  })

  it("compares accounts in any case", async () => {
    const mixed = "0xAbCdEf1111111111111111111111111111111111"
    const { result } = await run(
      {
        options: offers(
          option({
            account: `eip155:8453:${mixed}`,
            actions: [on(sign, { params: [mixed.toLowerCase(), "{}"] })],
          }),
        ),
        confirm: json(succeeded),
      },
      { accounts: [`eip155:8453:${mixed.toUpperCase().replace("X", "x")}`] },
    )
    assert.strictEqual(result._tag, "Succeeded")
  })
})

describe("payById", () => {
  it("pays the payment with an id, without trusting any link", async () => {
    const { asked, fetch, timing } = service(
      new Map([
        ["options", offers(option())],
        ["confirm", json(succeeded)],
      ]),
    )
    const paying = await payById(paymentId, {
      baseUrl: "https://api.example",
      apiKey: "flr_test_wk_1",
      accounts: [account],
      fetch,
      timing,
      signer: { request: () => Promise.resolve("0xa1") },
    })
    assert.strictEqual(paying._tag, "Succeeded")
    assert.deepStrictEqual(asked(), [`POST ${root}/options`, `POST ${root}/confirm`])
  })
})
