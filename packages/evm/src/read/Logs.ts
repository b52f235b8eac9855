/**
 * The event that reports that tokens moved: only this event counts as a payment.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import { encodeEventTopics, pad } from "viem/utils"
import * as Abi from "./Abi.ts"
import { hex, type Log } from "./Queries.ts"

type Parties = Pick<Transfer.Movement, "from" | "to">

/** The topics of every Transfer log between two accounts. */
export const transferTopics = ({ from, to }: Parties): ReadonlyArray<string | null> =>
  encodeEventTopics({
    abi: Abi.events,
    eventName: "Transfer",
    args: { from: hex(from), to: hex(to) },
  }).flat()

/** The first topic of every Transfer. */
export const [transferTopic] = encodeEventTopics({ abi: Abi.events, eventName: "Transfer" })

/** Whether this contract wrote a log that begins with these topics; null matches any. */
export const isAbout = (
  { address, removed, topics }: Log,
  filter: { readonly address: string; readonly topics: ReadonlyArray<string | null> },
): boolean =>
  removed !== true &&
  address === filter.address &&
  topics.length >= filter.topics.length &&
  filter.topics.every((topic, index) => topic === null || topics[index] === topic)

/** Whether a log is a Transfer of a token between two accounts, in any quantity. */
export const isBetween = (token: Caip.Address, from: Caip.Address, to: Caip.Address) => {
  const filter = { address: token, topics: transferTopics({ from, to }) }
  return (log: Log): boolean =>
    isAbout(log, filter) && log.topics.length === 3 && log.data.length === 66
}

/** Whether a log is a Transfer of any token between any accounts. */
export const isTransfer = ({ data, removed, topics }: Log): boolean =>
  removed !== true && topics[0] === transferTopic && topics.length === 3 && data.length === 66

/** The quantity that a Transfer moved. */
export const quantity = ({ data }: Log): Money.Quantity => Money.Quantity.make(BigInt(data))

/** Whether a log is exactly a movement: a different quantity is another movement. */
export const isMovement = (movement: Transfer.Movement) => {
  const isBoth = isBetween(movement.token.address, movement.from, movement.to)
  return (log: Log): boolean => isBoth(log) && quantity(log) === movement.quantity
}

/** An account as a topic. */
export const addressTopic = (address: Caip.Address): string => pad(hex(address))

const addressOf = (topic: string | undefined): Caip.Address =>
  Eip155.Address.make(`0x${(topic ?? "").slice(-40)}`)

/** The identity of a log. */
export const nameOf = ({ logIndex, transactionHash: txHash }: Log): Transfer.LogId => ({
  txHash,
  logIndex,
})

/** The token of a Transfer, and the accounts between which it moved. */
export const ends = (chainId: Caip.ChainId, { address, topics }: Log) => ({
  token: { chainId, address },
  from: addressOf(topics[1]),
  to: addressOf(topics[2]),
})

/** A Transfer with its place on the chain. */
export const of = (chainId: Caip.ChainId, log: Log): Transfer.Log => ({
  movement: { ...ends(chainId, log), quantity: quantity(log) },
  txHash: log.transactionHash,
  logIndex: log.logIndex,
  blockNumber: log.blockNumber,
  blockHash: log.blockHash,
})

/** A Transfer as it is claimed and stored. */
export const evidence = (chainId: Caip.ChainId, log: Log, txNonce: number): Transfer.Evidence => ({
  ...of(chainId, log),
  txNonce,
})
