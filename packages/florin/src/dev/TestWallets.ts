/**
 * The wallets that the checkout of a local service offers next to those of the browser. Their keys are public, so they
 * are only useful on the local chains.
 *
 * @module
 */
import type { SignerRequest } from "@florin/client"
import * as Wallets from "@florin/pages/TestWallets"
import type * as Wallet from "@florin/testing/Wallet"
import * as Schema from "effect/Schema"
import { encodeFunctionData, parseAbi } from "viem/utils"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as LocalChains from "./LocalChains.ts"
import * as Payer from "./Payer.ts"

const common = { account: Schema.Literals(Wallets.accounts), chainId: Schema.String }

const Step = Schema.Union([
  Schema.Struct({
    ...common,
    method: Schema.Literals(["eth_signTypedData_v4", "personal_sign"]),
    params: Schema.Tuple([Schema.String, Schema.String]),
  }),
  Schema.Struct({
    ...common,
    method: Schema.Literal("eth_sendTransaction"),
    params: Schema.Tuple([
      Schema.Struct({ from: Schema.String, to: Schema.String, data: Schema.String }),
    ]),
  }),
])

const Request = Schema.Union([
  Schema.Struct({ ...common, method: Schema.Literal("eth_accounts") }),
  Step,
])

/** Decodes the request of a test wallet. */
export const read = Schema.decodeUnknownOption(Schema.fromJsonString(Request))

/** An account that pays, and the key that signs for it. */
interface Holder {
  readonly address: string
  readonly key: Wallet.Wallet
}

const ofKey = (key: Wallet.Wallet): Holder => ({ address: key.address, key })

const holders: { readonly [A in Wallets.Request["account"]]: () => Promise<Holder> | Holder } = {
  rich: () => ofKey(LocalChains.payer),
  poor: () => ofKey(LocalChains.poor),
  smart: async () => ({
    address: await LocalChains.smartAccount(),
    key: LocalChains.smartOwner,
  }),
}

const smartAccountAbi = parseAbi(["function execute(address to, bytes data)"])

/** The request for the key of an account. The owner of a smart account signs for it, and calls through it. */
const byKey = (step: typeof Step.Type, { address, key }: Holder): SignerRequest => {
  const { chainId } = step
  switch (step.method) {
    case "eth_signTypedData_v4":
      return { chainId, method: step.method, params: [key.address, step.params[1]] }
    case "personal_sign":
      return { chainId, method: step.method, params: [step.params[0], key.address] }
    case "eth_sendTransaction": {
      const [{ data, to }] = step.params
      const execute = () =>
        encodeFunctionData({
          abi: smartAccountAbi,
          functionName: "execute",
          args: [Payer.hex(to), Payer.hex(data)],
        })
      const call = address === key.address ? { to, data } : { to: address, data: execute() }
      return { chainId, method: step.method, params: [{ from: key.address, ...call }] }
    }
  }
}

/** Executes the request of a test wallet. */
export const execute = async (
  request: typeof Request.Type,
  chains: ReadyFile.Ready["chains"],
): Promise<Wallets.Response> => {
  const holder = await holders[request.account]()
  if (request.method === "eth_accounts") return { result: [holder.address] }
  try {
    const signer = Payer.signer(holder.key, chains)
    return { result: await signer.request(byKey(request, holder)) }
  } catch (error) {
    const message = error instanceof Error ? error.message : "the test wallet failed"
    return { error: { code: -32_603, message } }
  }
}
