/**
 * How the kit asks a wallet to sign or to send.
 *
 * @module
 */
import type * as Option from "@florin/api/wire/Option"
import * as Connection from "./Connection.ts"

/** A transaction as `eth_sendTransaction` takes it; the wallet adds gas and nonce. */
export interface Transaction {
  readonly from: string
  readonly to: string
  readonly data: string
  readonly value?: string
}

/** A request to a wallet, as any dapp would make it. `method` determines `params`. */
export type SignerRequest = {
  /** CAIP-2, such as `eip155:8453`. */
  readonly chainId: string
} & (
  | {
      readonly method: "eth_signTypedData_v4"
      readonly params: readonly [address: string, typedDataJson: string]
    }
  | { readonly method: "eth_sendTransaction"; readonly params: readonly [Transaction] }
  | {
      readonly method: "personal_sign"
      readonly params: readonly [messageHex: string, address: string]
    }
)

/**
 * The only part that a wallet must provide, and which it already has for dapps. Returns the signature or the
 * transaction hash as hex; throws if the payer declines.
 *
 * @example
 * const signer = { request: ({ chainId, ...rpc }) => providerOf(chainId).request(rpc) }
 */
export interface Signer {
  readonly request: (request: SignerRequest) => Promise<unknown>
}

/** An action that a careful wallet does not execute. */
export class UnsafeAction extends Error {
  readonly _tag = "UnsafeAction"
  override readonly name = "UnsafeAction"
}

const isTransaction = (value: unknown): value is Transaction =>
  Connection.isObject(value) &&
  [value["from"], value["to"], value["data"]].every((each) => typeof each === "string") &&
  (!("value" in value) || typeof value["value"] === "string")

const parseTransaction = (json: string): Transaction => {
  const transaction = Connection.parse(json)
  if (isTransaction(transaction)) return transaction
  throw new UnsafeAction("the service asks for a transaction that cannot be read: nothing was sent")
}

/** Reads the parameters of each method, and the account that they name. */
const readers: {
  readonly [M in SignerRequest["method"]]: (
    chainId: string,
    first: string,
    second: string,
  ) => { readonly request: SignerRequest; readonly address: string }
} = {
  eth_signTypedData_v4: (chainId, address, typedDataJson) => ({
    request: { chainId, method: "eth_signTypedData_v4", params: [address, typedDataJson] },
    address,
  }),
  eth_sendTransaction: (chainId, json) => {
    const transaction = parseTransaction(json)
    return {
      request: { chainId, method: "eth_sendTransaction", params: [transaction] },
      address: transaction.from,
    }
  },
  personal_sign: (chainId, messageHex, address) => ({
    request: { chainId, method: "personal_sign", params: [messageHex, address] },
    address,
  }),
}

const isKnown = (method: string): method is SignerRequest["method"] =>
  Object.hasOwn(readers, method)

/** Reads an action for one of the payer's accounts; throws UnsafeAction if it names another. */
export const readAction = (action: Option.WalletRpc, account: string): SignerRequest => {
  const { chain_id: chainId, method, params } = action.data
  if (!isKnown(method)) {
    throw new UnsafeAction("the service asks for a method that this version of the kit cannot run")
  }
  const [first = "", second = ""] = params
  const { request, address } = readers[method](chainId, first, second)
  if (`${chainId}:${address}`.toLowerCase() !== account.toLowerCase()) {
    throw new UnsafeAction("the service asks for another account than the option's")
  }
  return request
}

/**
 * The wallet did not execute a step: the payer declined, or `request` failed with `cause`. Only the wallet knows
 * whether a transaction was sent all the same: check that before you pay again.
 */
export class SignerFailed extends Error {
  readonly _tag = "SignerFailed"
  override readonly name = "SignerFailed"
  readonly method: SignerRequest["method"]

  constructor(method: SignerRequest["method"], cause: unknown) {
    super(`the wallet did not execute ${method}: its own error is the cause`, { cause })
    this.method = method
  }
}

/** A transaction always has a hash. The signature of a contract that approved on its chain is empty. */
const isOutput = (output: unknown, { method }: SignerRequest): output is string =>
  typeof output === "string" &&
  /^0x[0-9a-fA-F]*$/u.test(output) &&
  (output !== "0x" || method !== "eth_sendTransaction")

/** Asks the wallet; throws SignerFailed. */
export const execute = async (signer: Signer, request: SignerRequest): Promise<string> => {
  try {
    const output = await signer.request(request)
    if (isOutput(output, request)) return output
  } catch (cause) {
    throw new SignerFailed(request.method, cause)
  }
  throw new SignerFailed(request.method, new TypeError("the signer must return hex"))
}
