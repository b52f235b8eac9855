/**
 * The checkout for React: the element as a component, a hook that opens it above the page, and a hook that follows a
 * payment through a route of the shop's own server.
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
import * as Follow from "./Follow.ts"

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

export interface FollowedPayment {
  /** What your server reported last; undefined before its first response. */
  readonly payment: Follow.Followed | undefined
  /** Why your server will not report more: it refused, or did not respond with the status of a payment. */
  readonly error: Follow.NotFollowed | undefined
}

const nothingYet: FollowedPayment = { payment: undefined, error: undefined }

/**
 * Follows a payment through a route of your own server, until it has ended. The route decides who may see the payment,
 * and responds with `status` and `isFinal`, as the API does. Without a URL, it waits for one.
 *
 * @example
 * const { payment, error } = usePayment(`/api/payments/${paymentId}`)
 */
export const usePayment = (url: string | undefined): FollowedPayment => {
  const [last, setLast] = useState({ ...nothingYet, url })
  useEffect(() => {
    if (url === undefined) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const onReport = (payment: Follow.Followed) => setLast({ ...nothingYet, payment, url })
    Follow.follow(url, { signal, onReport }).catch((error: unknown) => {
      if (error instanceof Follow.NotFollowed && !signal.aborted) {
        setLast((before) => ({ ...(before.url === url ? before : nothingYet), error, url }))
      }
    })
    return () => controller.abort()
  }, [url])
  // What is known of another payment is not shown for this one.
  return last.url === url ? { payment: last.payment, error: last.error } : nothingYet
}
