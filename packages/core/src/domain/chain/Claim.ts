/**
 * Things that may happen only once: a transfer pays one payment, an authorization is spent by one, a sweep has a
 * period.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Mode from "../ground/Mode.ts"
import * as Caip from "./Caip.ts"
import * as PaymentOption from "./PaymentOption.ts"
import type * as Transfer from "./Transfer.ts"

export type Claim = typeof Claim.Type
export const Claim = Schema.TaggedUnion({
  Transfer: {
    chainId: Caip.ChainId,
    txHash: Schema.String,
    logIndex: Schema.Int,
    /**
     * Where it was found. It does not make the claim unique; it serves to check whether the transfer is still there.
     */
    blockNumber: Schema.Int,
    blockHash: Schema.String,
  },
  Authorization: {
    token: Caip.Token,
    authorizer: Caip.Address,
    nonce: Schema.String,
  },
  /** A token of one of our accounts is swept once in a period. */
  Sweep: {
    mode: Mode.Mode,
    token: Caip.Token,
    address: Caip.Address,
    period: Schema.Int,
  },
})

/** The prefix of the keys of all transfers of one transaction; the index of the log follows. */
export const transfersPrefix = (chainId: Caip.ChainId, txHash: string): string =>
  `transfer:${chainId}:${txHash}:`

/** The text that is unique while the claim is kept, which is for ever. */
export const key: (claim: Claim) => string = Claim.match({
  Transfer: ({ chainId, logIndex, txHash }) => `${transfersPrefix(chainId, txHash)}${logIndex}`,
  Authorization: ({ authorizer, nonce, token }) =>
    `authorization:${Caip.tokenKey(token)}:${authorizer}:${nonce}`,
  Sweep: ({ address, mode, period, token }) =>
    `sweep:${mode}:${Caip.tokenKey(token)}:${address}:${period}`,
})

export const ofTransfer = (evidence: Transfer.Log): Extract<Claim, { _tag: "Transfer" }> => ({
  _tag: "Transfer",
  chainId: evidence.movement.token.chainId,
  txHash: evidence.txHash,
  logIndex: evidence.logIndex,
  blockNumber: evidence.blockNumber,
  blockHash: evidence.blockHash,
})

/** Whether two transfers are in the same place of the same transaction, in whichever block. */
export const isSameLog = (left: Transfer.Log, right: Transfer.Log): boolean =>
  key(ofTransfer(left)) === key(ofTransfer(right))

/**
 * A permit does not name its payment: the payer could sign the same permit for another payment of the same price, and
 * only one of them can be collected. So its nonce is claimed, which the token takes once.
 */
export const ofAuthorization = (option: PaymentOption.PaymentOption): Claim => ({
  _tag: "Authorization",
  token: option.token,
  authorizer: option.account.address,
  nonce:
    option.permitNonce === undefined
      ? PaymentOption.authorizationNonce(option)
      : `permit:${option.permitNonce}`,
})
