/**
 * A family of chains, as CAIP names it by a namespace: how it writes its identifiers, and how payers pay with its
 * tokens.
 *
 * A chain adapter provides its family in its catalog. These are plain functions; anything that needs a node is in the
 * Chain port.
 *
 * @module
 */
import * as Result from "effect/Result"
import type * as Invalid from "../ground/Invalid.ts"
import * as Malformed from "../ground/Malformed.ts"
import type * as Money from "../ground/Money.ts"
import type * as Action from "./Action.ts"
import type * as ActionResult from "./ActionResult.ts"
import * as Caip from "./Caip.ts"
import type * as PaymentOption from "./PaymentOption.ts"

/**
 * Whether an address with a wrong checksum is refused. Payers' accounts are compared without regard to spelling, as
 * wallets send them; a destination with a typing error would lose money.
 */
export type Checksum = "enforced" | "ignored"

/** One way in which payers pay with a token. */
export interface Way {
  /** `us`: the payer signs, and we send. `payer`: the wallet sends, and signs a statement of what it pays. */
  readonly sentBy: "us" | "payer"
  /** The payer signs with a number that the token keeps for its account: `permitNonce` of the option. */
  readonly isNumbered?: true
  /**
   * A payment lowers the amount of the token that the account allows a contract to take: several payments may share
   * that allowance.
   */
  readonly drawsOnAllowance?: true
}

export interface Family {
  /** The CAIP-2 namespace of its chains and accounts. */
  readonly namespace: string
  /** The name of its tokens' standard in CAIP-19: `erc20`. */
  readonly standard: string
  /** What is wrong with a chain's name within the family; null if it is valid. */
  readonly checkReference: (reference: string) => string | null
  /** Reads an address, whose spellings differ only in case; fails with what is wrong with it. */
  readonly parseAddress: (text: string, checksum: Checksum) => Result.Result<Caip.Address, string>
  /** Prints an address for a person and on the wire. */
  readonly formatAddress: (address: Caip.Address) => string
  /** Describes an address that belongs to nobody, on any chain of the family; undefined for any other. */
  readonly deadEnd: (address: Caip.Address) => string | undefined
  /** Every flow that its tokens may have. */
  readonly ways: { readonly [flow: PaymentOption.Flow]: Way }
  /**
   * Whether an account with enough balance is offered an option, next to the token's other flows. The committed part of
   * the allowance will be used by other payments.
   */
  readonly isOpen: (
    chosen: Action.Chosen,
    flows: PaymentOption.Flows,
    allowance: Money.Quantity,
    committed: Money.Quantity,
  ) => boolean
  /** How many steps the wallet will take: one is a signature, more begin with a transaction. */
  readonly stepCount: (
    chosen: Action.Chosen,
    allowance: Money.Quantity,
    committed: Money.Quantity,
  ) => number
  /**
   * The actions with which an option is offered: executable if they follow from the option alone, a build action if
   * they depend on the chain's state.
   */
  readonly offered: (chosen: Action.Chosen) => ReadonlyArray<Action.Action>
  /** The canonical spelling of an output. */
  readonly spelled: (output: string) => string
  /** Reads the outputs of a confirm, and checks their number, order and kind. */
  readonly readOutputs: (
    flow: PaymentOption.Flow,
    outputs: ReadonlyArray<string>,
  ) => Result.Result<ActionResult.Outputs, Invalid.InvalidInput>
}

/** An object that knows families, such as a catalog. */
export interface Known {
  readonly families: ReadonlyArray<Family>
}

const named = ({ families }: Known, namespace: string): Family | undefined =>
  families.find((each) => each.namespace === namespace)

/** The family of a chain; undefined if no adapter provides it. */
export const of = (known: Known, chainId: Caip.ChainId): Family | undefined =>
  named(known, Caip.namespaceOf(chainId))

/** How a flow works; undefined if the family has no such flow. */
export const wayOf = ({ ways }: Family, flow: PaymentOption.Flow): Way | undefined =>
  Object.hasOwn(ways, flow) ? ways[flow] : undefined

/** The flows of a family in which the payer's wallet sends, or in which we do. */
export const flowsSentBy = (
  { ways }: Family,
  sender: Way["sentBy"],
): ReadonlyArray<PaymentOption.Flow> =>
  Object.entries(ways).flatMap(([flow, { sentBy }]) => (sentBy === sender ? [flow] : []))

/** The flows of a family that use an allowance. */
export const drawingFlows = ({ ways }: Family): ReadonlyArray<PaymentOption.Flow> =>
  Object.entries(ways).flatMap(([flow, { drawsOnAllowance }]) =>
    drawsOnAllowance === true ? [flow] : [],
  )

const unserved = ({ families }: Known, namespace: string) => {
  const served = families.map((each) => each.namespace).join(" or ")
  const instead = served === "" ? "no chain is served" : `use ${served}`
  return Malformed.fail(`namespace ${namespace} is not supported: ${instead}`)
}

const chainOf = (
  known: Known,
  { namespace, reference }: Caip.Parts,
): Result.Result<
  { readonly family: Family; readonly chainId: Caip.ChainId },
  Malformed.Malformed
> => {
  const family = named(known, namespace)
  if (family === undefined) return unserved(known, namespace)
  const fault = family.checkReference(reference)
  return fault === null
    ? Result.succeed({ family, chainId: Caip.ChainId.make(`${namespace}:${reference}`) })
    : Malformed.fail(fault)
}

/** Reads a CAIP-2 chain. */
export const parseChain = (
  known: Known,
  text: string,
): Result.Result<Caip.ChainId, Malformed.Malformed> =>
  Caip.split("chain", text).pipe(
    Result.flatMap((parts) => chainOf(known, parts)),
    Result.map(({ chainId }) => chainId),
  )

const located = (
  known: Known,
  parts: Caip.Parts,
  checksum: Checksum,
): Result.Result<Caip.Account, Malformed.Malformed> =>
  Result.flatMap(chainOf(known, parts), ({ chainId, family }) =>
    Result.match(family.parseAddress(parts.address, checksum), {
      onFailure: Malformed.fail,
      onSuccess: (address) => Result.succeed({ chainId, address }),
    }),
  )

const foreignAddress = /^[-.%a-zA-Z0-9]{1,128}$/u

/**
 * Reads a CAIP-10 account of any namespace: null if it is well formed and its family is not available. The caller
 * decides whether to skip or refuse it.
 */
export const parseAnyAccount = (
  known: Known,
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Caip.Account | null, Malformed.Malformed> =>
  Result.flatMap(Caip.split("account", text), (parts) => {
    if (named(known, parts.namespace) !== undefined) {
      return located(known, parts, checksum)
    }
    return foreignAddress.test(parts.address)
      ? Result.succeed(null)
      : Malformed.fail("the address has characters that CAIP-10 does not allow")
  })

/** Reads a CAIP-10 account of an available family. */
export const parseAccount = (
  known: Known,
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Caip.Account, Malformed.Malformed> =>
  Result.flatMap(Caip.split("account", text), (parts) => located(known, parts, checksum))

/** Reads the CAIP-19 form of a token, without the `caip19/` prefix of amounts. */
export const parseToken = (
  known: Known,
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Caip.Token, Malformed.Malformed> =>
  Result.flatMap(Caip.split("asset", text), (parts) => {
    const family = named(known, parts.namespace)
    return family !== undefined && family.standard !== parts.standard
      ? Malformed.fail(`an asset is ${family.namespace}:<chain id>/${family.standard}:<contract>`)
      : located(known, parts, checksum)
  })

/** An address as its family prints it. */
export const formatAddress = (
  known: Known,
  { address, chainId }: Caip.Account | Caip.Token,
): string => of(known, chainId)?.formatAddress(address) ?? address

export const formatAccount = (known: Known, account: Caip.Account): string =>
  `${account.chainId}:${formatAddress(known, account)}`

/** The CAIP-19 form of a token. */
export const formatToken = (known: Known, token: Caip.Token): string =>
  `${token.chainId}/${of(known, token.chainId)?.standard ?? "token"}:${formatAddress(known, token)}`
