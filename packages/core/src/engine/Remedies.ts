/**
 * What an operator reads about each finding of a service's state, and the commands that help.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import type * as Caip from "../domain/chain/Caip.ts"
import * as Catalog from "../domain/chain/Catalog.ts"
import * as Family from "../domain/chain/Family.ts"
import * as Obstacle from "../domain/chain/Obstacle.ts"
import * as Age from "../domain/ground/Age.ts"
import * as ClockDrift from "../domain/ground/ClockDrift.ts"
import * as TokenAmount from "../domain/money/TokenAmount.ts"
import type * as Status from "./Status.ts"
import type * as Stuck from "./Stuck.ts"

export interface Words {
  readonly text: string
  /** In the order in which they help: the first ones show, the last one decides. */
  readonly commands: ReadonlyArray<string>
  /** The details that programs get as fields. */
  readonly json: { readonly [name: string]: Schema.Json }
}

/** The name of a finding for programs: `chain_halted` */
export const nameOf = ({ _tag }: Status.Found): string =>
  _tag.replaceAll(/(?<=.)[A-Z]/gu, (letter) => `_${letter}`).toLowerCase()

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** The command that decides about stuck money; null if it continues by itself, or stays held as a test asked. */
export const ofStuck = (
  { code, isHeld, movement, outflow, paymentIds, reason }: Stuck.Stuck,
  catalog: Catalog.Catalog,
): string | null => {
  const { token } = movement
  // A retry is held again; a refund releases the share.
  if (reason === Obstacle.requested) {
    return outflow?.purpose._tag === "Settle"
      ? `florin refunds create ${paymentIds.join(" ")}`
      : null
  }
  if (outflow !== null && isHeld) {
    return `florin payouts ${code === "moved" ? "show" : "retry"} ${outflow.id}`
  }
  switch (code) {
    case "stopped":
      return `florin assets resume ${Family.formatToken(catalog, token)}`
    case "halted":
      return `florin chains resume ${token.chainId}`
    case "float":
      return "florin float short"
    default:
      return null
  }
}

/** The same for several that are stuck for one reason. */
const ofGroup = (
  { code, count, isHeld, mode, oldest }: Stuck.Group,
  catalog: Catalog.Catalog,
): ReadonlyArray<string> => {
  if (code === "float") return ["florin float short"]
  if (!isHeld) return ["florin stuck"]
  if (count === 1) {
    const decides = ofStuck(oldest, catalog)
    const shows =
      oldest.outflow === null || code === "moved"
        ? []
        : [`florin payouts show ${oldest.outflow.id}`]
    return decides === null ? ["florin stuck"] : [...shows, decides]
  }
  if (code === "moved") return ["florin stuck"]
  return ["florin stuck", `florin payouts retry --held-for ${code} --mode ${mode}`]
}

const partNames: { readonly [P in Status.Part]: string } = {
  storage: "storage and clock",
  work: "due work",
  money: "payouts, refunds and returns",
  halts: "stopped chains and tokens",
  unclaimed: "unclaimed money",
  float: "float",
  debts: "debts",
  webhooks: "webhook endpoints",
  merchants: "merchants to approve",
  screening: "deny list",
  gas: "gas",
  budgets: "gas budgets",
  nodes: "nodes",
  tokens: "tokens",
}

/** Names of parts, as a sentence lists them. */
export const namesOf = (parts: ReadonlyArray<Status.Part>): string =>
  parts.map((part) => partNames[part]).join(", ")

/** `Base (live)` */
const whereOf = (
  { chainId, mode }: { readonly chainId: Caip.ChainId; readonly mode: string },
  catalog: Catalog.Catalog,
): string => `${Catalog.networkName(catalog, chainId)} (${mode})`

const doctor = ["florin doctor"]

export const of = (found: Status.Finding, catalog: Catalog.Catalog, now: number): Words => {
  const amount = (token: Caip.Token, quantity: bigint) => TokenAmount.text(token, quantity, catalog)
  const inJson = (token: Caip.Token, quantity: bigint) => TokenAmount.json(token, quantity, catalog)
  const tokenOn = (token: Caip.Token, mode: string) =>
    `${catalog.find(token)?.symbol ?? "token"} on ${whereOf({ ...token, mode }, catalog)}`
  const accountOf = (account: Caip.Account) => Family.formatAccount(catalog, account)
  switch (found._tag) {
    case "Unread": {
      const { chainId, part } = found
      const where = chainId === null ? "" : ` of ${Catalog.networkName(catalog, chainId)}`
      return {
        text: `Could not read ${partNames[part]}${where}: no response within 4 s`,
        commands: doctor,
        json: { part, chain: chainId },
      }
    }
    case "ClockOff":
      return {
        text: ClockDrift.isTooFar(found.driftInMs)
          ? ClockDrift.messageOf(found.driftInMs)
          : `The clock of this machine is ${Math.abs(found.driftInMs)} ms off the storage's: set both by NTP`,
        commands: doctor,
        json: { driftInMs: found.driftInMs },
      }
    case "StorageFull":
      return {
        text: `${found.message}. Nothing new is written until then`,
        commands: doctor,
        json: {},
      }
    case "WorkWaits": {
      const { ageInMs, count, group, kind } = found
      return {
        text: `${counted(count, "task")} of kind ${kind} ${count === 1 ? "is" : "are"} due and not done, for ${Age.text(ageInMs)}: make sure that a worker runs and keeps up`,
        commands: ["florin serve --role worker"],
        json: { work: kind, group, count, ageInMs },
      }
    }
    case "Stuck": {
      const { chainId, code, count, isHeld, mode, oldest, quantities } = found
      const what = counted(count, "transfer")
      const state = isHeld ? (count === 1 ? "is held" : "are held") : count === 1 ? "waits" : "wait"
      const since = `${count === 1 ? "for" : "the oldest for"} ${Age.text(oldest.ageInMs)}`
      const sum = quantities.map(({ quantity, token }) => amount(token, quantity)).join(" and ")
      return {
        text: `${what} on ${whereOf({ chainId, mode }, catalog)} ${state}, ${since} (${sum}): ${Obstacle.meanings[code]}`,
        commands: ofGroup(found, catalog),
        json: {
          mode,
          chain: chainId,
          state: isHeld ? "held" : "waiting",
          code,
          count,
          amounts: quantities.map(({ quantity, token }) => inJson(token, quantity)),
          ageInMs: oldest.ageInMs,
          reason: oldest.reason,
        },
      }
    }
    case "ChainHalted": {
      const { chainId, haltedAt, mode, reason } = found
      const ageInMs = now - haltedAt
      return {
        text: `Sending on ${whereOf(found, catalog)} stopped ${Age.text(ageInMs)} ago: ${reason}. Find out what happened before you resume it`,
        commands: ["florin reconcile", `florin chains resume ${chainId}`],
        json: { mode, chain: chainId, reason, ageInMs },
      }
    }
    case "TokenStopped": {
      const { mode, reason, stoppedAt, token } = found
      const asset = Family.formatToken(catalog, token)
      const ageInMs = now - stoppedAt
      return {
        text: `Sending ${tokenOn(token, mode)} stopped ${Age.text(ageInMs)} ago: ${reason}`,
        commands: ["florin stuck", `florin assets resume ${asset}`],
        json: { mode, asset, reason, ageInMs },
      }
    }
    case "Unclaimed": {
      const { count, mode, quantity, token } = found
      return {
        text: `${counted(count, "transfer")} to your accounts on ${whereOf({ ...token, mode }, catalog)} ${count === 1 ? "belongs" : "belong"} to no payment, ${amount(token, quantity)}`,
        commands: ["florin unclaimed list"],
        json: { mode, count, amount: inJson(token, quantity) },
      }
    }
    case "FloatShort": {
      const { address, count, missing, mode, token } = found
      const account = accountOf({ chainId: token.chainId, address })
      return {
        text: `${account} (${mode}) lacks ${amount(token, missing)} of your own money: ${counted(count, "transfer waits", "transfers wait")} for it`,
        commands: ["florin float short"],
        json: { mode, account, count, missing: inJson(token, missing) },
      }
    }
    case "Debt": {
      const { mode, quantity, token } = found
      return {
        text: `Merchants owe ${amount(token, quantity)} on ${whereOf({ ...token, mode }, catalog)} after refunds: their next payouts deduct it`,
        commands: [],
        json: { mode, amount: inJson(token, quantity) },
      }
    }
    case "WebhookLags": {
      const { ageInMs, count, endpointId } = found
      return {
        text: `Webhook endpoint ${endpointId} is ${Age.text(ageInMs)} behind with ${counted(count, "delivery", "deliveries")}: notify its partner`,
        commands: ["florin webhooks endpoints list"],
        json: { endpointId, count, ageInMs },
      }
    }
    case "MerchantsWait": {
      const { count, hasMore } = found
      return {
        text: hasMore
          ? `More than ${counted(count, "merchant waits", "merchants wait")} for your approval`
          : `${counted(count, "merchant waits", "merchants wait")} for your approval`,
        commands: ["florin merchants waiting"],
        json: { count, hasMore },
      }
    }
    case "DenyListRefused": {
      const { digest, inForce, listed, lost, since } = found
      const ageInMs = now - since
      return {
        text: `The deny list lost ${lost.length} of ${counted(inForce, "address", "addresses")} ${Age.text(ageInMs)} ago, and was refused: the last good list stays in force. Restore the file, or confirm it if that is intended`,
        commands: ["florin screening show", `florin screening confirm ${digest}`],
        json: { digest, listed, inForce, lost: lost.length, ageInMs },
      }
    }
    case "GasLow": {
      const { account, coins, lastsInHours, mode, unitsPerCoin } = found
      const coin = catalog.network(account.chainId)?.coin ?? "coins"
      const has = Number(coins) / Number(unitsPerCoin)
      const lasts =
        lastsInHours === null || coins === 0n
          ? ""
          : `, for ${Age.text(lastsInHours * 3_600_000)} at its last rate`
      return {
        text: `${accountOf(account)} (${mode}) has ${has} ${coin} for gas${lasts}: send it more`,
        commands: ["florin relayers list"],
        json: { mode, account: accountOf(account), coins: coins.toString(), lastsInHours },
      }
    }
    case "NonceGap": {
      const { account, gaps, mode } = found
      return {
        text: `${accountOf(account)} (${mode}) skipped ${counted(gaps, "nonce")}: workers fill them, and later transactions wait`,
        commands: doctor,
        json: { mode, account: accountOf(account), gaps },
      }
    }
    case "BudgetSpent": {
      const { account, isSpent, limit, mode, spent } = found
      const share = limit === 0n ? 100 : Math.floor((Number(spent) / Number(limit)) * 100)
      return {
        text: isSpent
          ? `${accountOf(account)} (${mode}) spent its gas budget and collects nothing until the next hour: raise spendPerHour if this is honest traffic`
          : `${accountOf(account)} (${mode}) spent ${share} % of its gas budget of this hour`,
        commands: ["florin relayers list"],
        json: {
          mode,
          account: accountOf(account),
          spent: spent.toString(),
          limit: limit.toString(),
          isSpent,
        },
      }
    }
    case "NodeDown":
    case "NodeBehind": {
      const { chainId, mode, node, of: count } = found
      const state =
        found._tag === "NodeDown" ? "does not respond" : `is ${Age.text(found.behindInMs)} behind`
      return {
        text: `Node ${node} of ${count} of ${whereOf(found, catalog)} ${state}: ask its provider, or replace it`,
        commands: doctor,
        json: {
          mode,
          chain: chainId,
          node,
          of: count,
          ...(found._tag === "NodeBehind" && { behindInMs: found.behindInMs }),
        },
      }
    }
    case "ChainStalled": {
      const { chainId, headAgeInMs, mode } = found
      return {
        text:
          headAgeInMs === null
            ? `No node of ${whereOf(found, catalog)} responds: payments there wait`
            : `No node of ${whereOf(found, catalog)} has shown a new block for ${Age.text(headAgeInMs)}: payments there wait`,
        commands: doctor,
        json: { mode, chain: chainId, headAgeInMs },
      }
    }
    case "NodesDiffer": {
      const { blocks, chainId, mode } = found
      const number = blocks.find((block) => block !== null)?.number ?? 0
      const shown = blocks.flatMap((block, index) =>
        block === null ? [] : [`node ${index + 1} ${block.hash.slice(0, 14)}…`],
      )
      return {
        text: `Nodes of ${whereOf(found, catalog)} show different blocks at height ${number}: ${shown.join(", ")}. Payments there wait: compare the hashes with a block explorer, and remove the wrong node`,
        commands: doctor,
        json: { mode, chain: chainId, blocks },
      }
    }
    case "NodesLack": {
      const { chainId, message, mode } = found
      return {
        text: `${whereOf(found, catalog)}: ${message}`,
        commands: doctor,
        json: { mode, chain: chainId, message },
      }
    }
    case "TokenLeftOut": {
      const { message, mode, token } = found
      return {
        text: `Not offered to payers (${mode}): ${message}`,
        commands: doctor,
        json: { mode, asset: Family.formatToken(catalog, token), message },
      }
    }
  }
}
