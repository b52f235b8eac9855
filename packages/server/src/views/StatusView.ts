/**
 * What needs the operator, as the operator's API shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Status"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Remedies from "@florin/core/engine/Remedies"
import type * as Status from "@florin/core/engine/Status"
import * as TimeView from "./TimeView.ts"

export const status = (
  { at, findings, fine, isRed, skipped }: Status.Status,
  catalog: Catalog.Catalog,
): Wire.Status => ({
  at: TimeView.iso(at),
  needsAttention: isRed,
  findings: findings.map((each) => {
    const { commands, json, text } = Remedies.of(each, catalog, at)
    return {
      finding: Remedies.nameOf(each),
      needsAttention: each.isRed,
      message: text,
      commands,
      details: json,
    }
  }),
  fine,
  skipped,
})
