/**
 * A partner whose receiver never responds next to one whose receiver does: real processes, on anvil and PostgreSQL.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Receiver from "../receiver.ts"
import * as Serving from "../serving.ts"

const chainId = 8453
/** A machine with much else to do takes minutes. */
const timeout = 360_000
const due = 150
/** How many deliveries an endpoint has under way. */
const placesOfEndpoint = 8
/** How many payments are created at the same time. */
const atOnce = 10

const [collecting = assert.fail("nobody collects")] = LocalChains.collectingAccounts.test
const [payer = assert.fail("nobody pays")] = LocalChains.wallets

const tellBeside = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  const variables = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYER_KEYS: collecting.privateKey,
    FLORIN_PRIVATE_WEBHOOKS: "true",
  }
  const begin = (role: string) => Serving.serve(variables, "--role", role, "--port", "0")
  const [{ url: baseUrl }] = await Promise.all([begin("api"), begin("worker")])
  const stalled = await Receiver.make("hang")
  const answering = await Receiver.make(200)
  const partnerOf = async (receiver: Receiver.Receiver) => {
    const { client, walletKey } = await Receiver.partnerOf(receiver, database, baseUrl, variables)
    const order = (index: number) =>
      client.payments.create({
        referenceId: `order ${index}`,
        amount: { unit: "iso4217/USD", value: "125" },
      })
    return { order, walletKey }
  }
  const [first, second] = [await partnerOf(stalled), await partnerOf(answering)]

  const waiting = new Set<string>()
  const create = async (index: number): Promise<void> => {
    if (index >= due) return
    waiting.add((await first.order(index)).paymentId)
    await create(index + atOnce)
  }
  await Promise.all(Array.from({ length: atOnce }, (_, index) => create(index)))
  await Serving.until(() => stalled.received.length > 0)

  const { gatewayUrl, paymentId } = await second.order(0)
  const { _tag } = await pay(gatewayUrl, {
    baseUrl,
    payLinkHost: Serving.payLinkHost,
    apiKey: second.walletKey,
    accounts: [Eip155.formatAccount(payer.account(chainId))],
    signer: Payer.signer(payer, [reached]),
    maxPollMs: 1000,
  })
  assert.strictEqual(_tag, "Succeeded")
  const wanted = ["payment.created", "payment.processing", "payment.succeeded"]
  const types = () => new Set(answering.received.map(({ type }) => type))
  await Serving.until(() => wanted.every((each) => types().has(each)))
  assert.deepStrictEqual(
    new Set(answering.received.map((each) => each.paymentId)),
    new Set([paymentId]),
  )
  // What waits there has few places, and holds none of the others'.
  assert.isAtMost(stalled.atOnceMax(), placesOfEndpoint)
  assert.deepStrictEqual(stalled.answered, new Set<string>())

  // Nothing of it is lost: once the receiver answers, everything comes.
  stalled.behave(200)
  await Serving.until(() => stalled.answered.size === due)
  assert.deepStrictEqual(stalled.answered, waiting)
  for (const receiver of [stalled, answering]) receiver.close()
}

describe("a webhook receiver that does not respond", () => {
  it.live(
    "S10: delays no other partner's webhooks, and gets its own once it responds",
    () => Serving.on([chainId], tellBeside),
    timeout,
  )
})
