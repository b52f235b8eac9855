/**
 * What the operator's webhook reports of a service's state: everything that needs a person, in the words of `florin
 * status`.
 *
 * @module
 */
import type * as Catalog from "../domain/chain/Catalog.ts"
import type * as Alert from "../domain/notify/Alert.ts"
import * as Findings from "./Findings.ts"
import * as Status from "./Status.ts"

const findingOf = (
  found: Findings.Finding,
  catalog: Catalog.Catalog,
  now: number,
): Alert.Finding => {
  const { details, finding, key, message, part, remedies } = Findings.describe(found, catalog, now)
  const { withheld } = Findings.table[found._tag]
  return {
    key,
    name: finding,
    source: { part, chainId: Findings.chainOf(found) },
    text: message,
    commands: remedies.map(({ command }) => command),
    details: Object.fromEntries(Object.entries(details).filter(([name]) => name !== withheld)),
  }
}

/** Converts a look at the state into alerts. */
export const lookOf = ({ at, findings }: Status.Status, catalog: Catalog.Catalog): Alert.Look => ({
  found: findings.filter(({ isRed }) => isRed).map((each) => findingOf(each, catalog, at)),
  unread: Status.unreadParts(findings),
})
