/**
 * The family of EVM chains, and its identifiers for code that serves only EVM chains.
 *
 * @module
 */
import type * as Result from "effect/Result"
import type * as Caip from "../chain/Caip.ts"
import * as Family from "../chain/Family.ts"
import type * as Malformed from "../ground/Malformed.ts"
import * as Actions from "./Actions.ts"
import * as DeadEnds from "./DeadEnds.ts"
import * as Details from "./Details.ts"
import * as Names from "./Names.ts"
import * as Outputs from "./Outputs.ts"

export {
  Address,
  chainId,
  type Flow,
  flows,
  formatAddress,
  isFlow,
  numberOf,
  parseAddress,
  permit2Address,
  type UsualFlow,
  usualFlows,
} from "./Names.ts"

/** Which flows are offered, depending on the token's other flows and the account's balance and allowance. */
const opens: { readonly [F in Names.Flow]: Family.Family["isOpen"] } = {
  eip3009: () => true,
  permit2: ({ asset, option }, _, allowance, committed) =>
    !Actions.breaksOthers({ asset, option }, allowance, committed),
  // It costs the account about as much gas as an approval of Permit2, and costs us nothing.
  transfer: ({ option }, flows, allowance, committed) =>
    !flows.includes("permit2") || allowance < Actions.neededOf(option, committed),
  permit: ({ asset, option }) =>
    Details.of(asset).domain !== undefined && option.permitNonce !== undefined,
}

export const family: Family.Family = {
  namespace: Names.namespace,
  standard: Names.standard,
  checkReference: Names.checkReference,
  parseAddress: Names.parseAddress,
  formatAddress: Names.formatAddress,
  deadEnd: DeadEnds.of,
  ways: {
    eip3009: { sentBy: "us" },
    permit2: { sentBy: "us", drawsOnAllowance: true },
    transfer: { sentBy: "payer" },
    permit: { sentBy: "us", isNumbered: true },
  },
  isOpen: (chosen, flows, allowance, committed) => {
    const { flow } = chosen.option
    return Names.isFlow(flow) && opens[flow](chosen, flows, allowance, committed)
  },
  stepCount: Actions.stepCount,
  offered: Actions.offeredActions,
  spelled: Outputs.canonicalSignature,
  readOutputs: Outputs.read,
}

export const knownFamilies: Family.Known = { families: [family] }

export const parseChain = (text: string): Result.Result<Caip.ChainId, Malformed.Malformed> =>
  Family.parseChain(knownFamilies, text)

export const parseAccount = (
  text: string,
  checksum?: Family.Checksum,
): Result.Result<Caip.Account, Malformed.Malformed> =>
  Family.parseAccount(knownFamilies, text, checksum)

export const parseToken = (
  text: string,
  checksum?: Family.Checksum,
): Result.Result<Caip.Token, Malformed.Malformed> =>
  Family.parseToken(knownFamilies, text, checksum)

export const formatAccount = (account: Caip.Account): string =>
  Family.formatAccount(knownFamilies, account)

export const formatToken = (token: Caip.Token): string => Family.formatToken(knownFamilies, token)
