/**
 * How much of a chain a reader sees, and when. The same history must lead to the same result in every style.
 *
 * @module
 */
import type * as Transfer from "@florin/core/domain/chain/Transfer"

/**
 * - `whole`: everything immediately.
 * - `tip-first`: the newest height immediately, the transactions in it only at the next look.
 * - `blocks-first`: one more block with each look, so that every stage is seen.
 * - `skipping`: nothing before it is final.
 * - `duplicated`: every response is given twice.
 * - `lagging`: the chain as it was some blocks ago.
 * - `flapping`: two nodes in turn, one of them behind: what was there may be gone again.
 */
export const styles = [
  "whole",
  "tip-first",
  "blocks-first",
  "skipping",
  "duplicated",
  "lagging",
  "flapping",
] as const
export type Style = (typeof styles)[number]

/** What one look can see. */
export interface View {
  /** The newest height that is known. */
  readonly head: number
  /** The newest block whose transactions are known. */
  readonly indexed: number
}

/** How far the slower node of a style is behind. */
const lagOfStyle = 2

export const make = (finalityDepth: number) => {
  let style: Style = "whole"
  /** How many blocks every reader is behind, in addition to the style. */
  let lag = 0
  let looks = 0
  let shown: number | undefined
  /** Final results stay visible: no later look sees less. */
  let reported: View = { head: 0, indexed: 0 }
  /** Responses that are given once more. */
  const repeated = new Map<string, Transfer.Observation>()

  const viewOf = (head: number): View => {
    const previous = shown ?? head
    switch (style) {
      case "whole":
      case "duplicated":
        return { head, indexed: head }
      case "tip-first":
        shown = head
        return { head, indexed: previous }
      case "blocks-first": {
        shown = Math.min(head, Math.max(previous + 1, head - finalityDepth - lagOfStyle))
        return { head: shown, indexed: shown }
      }
      case "skipping":
        return { head, indexed: head - finalityDepth }
      case "lagging":
        return { head: head - lagOfStyle, indexed: head - lagOfStyle }
      case "flapping": {
        const seen = looks % 2 === 0 ? head : head - lagOfStyle
        return { head: seen, indexed: seen }
      }
    }
  }

  return {
    /** The height at which state is read. */
    height: (head: number): number => head - lag,
    deliver: (next: Style) => {
      style = next
      shown = undefined
      repeated.clear()
    },
    lag: (blocks: number) => {
      lag = blocks
    },
    /** Returns the result of one look at a chain of this height. */
    look: (
      question: string,
      head: number,
      answer: (view: View) => Transfer.Observation,
    ): Transfer.Observation => {
      const again = repeated.get(question)
      repeated.delete(question)
      if (again !== undefined) return again
      const seen = viewOf(head - lag)
      looks += 1
      const view = {
        head: Math.max(seen.head, reported.head),
        indexed: Math.max(seen.indexed, reported.indexed),
      }
      const observation = answer(view)
      const isForGood = !["Unseen", "Due", "Included"].includes(observation._tag)
      if (isForGood) reported = view
      else if (style === "duplicated") repeated.set(question, observation)
      return observation
    },
  }
}

export type Delivery = ReturnType<typeof make>
