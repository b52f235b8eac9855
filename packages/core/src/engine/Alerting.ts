/**
 * Which parts of a service's state the operator's webhook reports: everything that needs a person, in the words of
 * `florin status`.
 *
 * @module
 */
import * as Caip from "../domain/chain/Caip.ts"
import type * as Catalog from "../domain/chain/Catalog.ts"
import type * as Alert from "../domain/notify/Alert.ts"
import * as Remedies from "./Remedies.ts"
import * as Status from "./Status.ts"

/** What a finding is about: where it was read, and what distinguishes it from others with its name. */
interface Subject {
  readonly part: Status.Part
  readonly chainId?: Caip.ChainId | null
  readonly of: ReadonlyArray<string | number | boolean | null>
}

const subjectOf = (found: Status.Found): Subject => {
  switch (found._tag) {
    case "Unread": {
      const { chainId, part } = found
      return { part, chainId, of: [part, chainId] }
    }
    case "ClockOff":
    case "StorageFull":
      return { part: "storage", of: [] }
    case "WorkWaits":
      return { part: "work", of: [found.kind, found.group] }
    case "Stuck":
      return {
        part: "money",
        of: [found.mode, found.chainId, found.code, found.isHeld ? "held" : "waiting"],
      }
    case "ChainHalted":
      return { part: "halts", of: [found.mode, found.chainId] }
    case "TokenStopped":
      return { part: "halts", of: [found.mode, Caip.tokenKey(found.token)] }
    case "Unclaimed":
      return { part: "unclaimed", of: [found.mode, Caip.tokenKey(found.token)] }
    case "FloatShort":
      return { part: "float", of: [found.mode, Caip.tokenKey(found.token), found.address] }
    case "Debt":
      return { part: "debts", of: [found.mode, Caip.tokenKey(found.token)] }
    case "WebhookLags":
      return { part: "webhooks", of: [found.endpointId] }
    case "MerchantsWait":
      return { part: "merchants", of: [] }
    case "DenyListRefused":
      return { part: "screening", of: [] }
    case "GasLow":
    case "NonceGap": {
      const { address, chainId } = found.account
      return { part: "gas", chainId, of: [found.mode, chainId, address] }
    }
    case "BudgetSpent": {
      const { address, chainId } = found.account
      return { part: "budgets", of: [found.mode, chainId, address] }
    }
    case "NodeDown":
    case "NodeBehind":
      return {
        part: "nodes",
        chainId: found.chainId,
        of: [found.mode, found.chainId, found.node],
      }
    case "ChainStalled":
    case "NodesDiffer":
    case "NodesLack":
      return { part: "nodes", chainId: found.chainId, of: [found.mode, found.chainId] }
    case "TokenLeftOut":
      return { part: "tokens", of: [found.mode, Caip.tokenKey(found.token)] }
  }
}

const findingOf = (found: Status.Finding, catalog: Catalog.Catalog, now: number): Alert.Finding => {
  const { chainId = null, of, part } = subjectOf(found)
  const { commands, json, text } = Remedies.of(found, catalog, now)
  const name = Remedies.nameOf(found)
  // The reason why money is stuck may name a payer's account, so the text gives it in fixed words.
  const { reason: _, ...withoutReason } = json
  return {
    key: [name, ...of].join(" "),
    name,
    source: { part, chainId },
    text,
    commands,
    details: found._tag === "Stuck" ? withoutReason : json,
  }
}

/** Converts a look at the state into alerts. */
export const lookOf = ({ at, findings }: Status.Status, catalog: Catalog.Catalog): Alert.Look => ({
  found: findings.filter(({ isRed }) => isRed).map((each) => findingOf(each, catalog, at)),
  unread: Status.unreadParts(findings),
})
