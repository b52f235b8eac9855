/**
 * The checkout for React: the element as a component, and a hook that opens it above the page.
 *
 * @module
 */
import {
  createElement,
  type DetailedHTMLProps,
  type HTMLAttributes,
  type ReactElement,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react"
import { open, type Options, type Outcome } from "./Embed.ts"

export interface Props extends Omit<
  DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement>,
  "children" | "ref"
> {
  /** The payment link: `gatewayUrl` of the API. */
  readonly payment: string
  readonly mode?: "modal" | "inline"
  /** The text of the button. */
  readonly label?: string
  readonly onSucceeded?: (outcome: Outcome) => void
  readonly onFailed?: (outcome: Outcome) => void
  readonly onClosed?: (outcome: Outcome) => void
}

/** `<florin-checkout>` with its events as props. */
export const FlorinCheckout = ({
  onClosed,
  onFailed,
  onSucceeded,
  ...attributes
}: Props): ReactElement => {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    const controller = new AbortController()
    for (const [type, handler] of [
      ["florin-succeeded", onSucceeded],
      ["florin-failed", onFailed],
      ["florin-closed", onClosed],
    ] as const) {
      element.current?.addEventListener(type, ({ detail }) => handler?.(detail), {
        signal: controller.signal,
      })
    }
    return () => controller.abort()
  }, [onClosed, onFailed, onSucceeded])
  return createElement("florin-checkout", { ...attributes, ref: element })
}

export interface Checkout {
  readonly open: (options: Options) => Promise<Outcome>
  readonly isOpen: boolean
  /** What the checkout reported when it was last closed. */
  readonly outcome: Outcome | undefined
}

/** Opens the checkout above the page, from any button. */
export const useCheckout = (): Checkout => {
  const [isOpen, setOpen] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const show = useCallback(async (options: Options) => {
    setOpen(true)
    try {
      const closed = await open(options)
      setOutcome(closed)
      return closed
    } finally {
      setOpen(false)
    }
  }, [])
  return { open: show, isOpen, outcome }
}
