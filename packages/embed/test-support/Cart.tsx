/**
 * The code of the README, in a file so that it is compiled and run.
 *
 * @module
 */
import { FlorinCheckout, useCheckout } from "@florin/embed/react"
import { useState } from "react"

export const Cart = ({ payment }: { readonly payment: string }) => {
  const [isPaid, setPaid] = useState(false)
  return isPaid ? (
    <p>Thank you!</p>
  ) : (
    <FlorinCheckout payment={payment} label="Pay now" onSucceeded={() => setPaid(true)} />
  )
}

/** The same with a button of your own. */
export const OwnButton = ({ payment }: { readonly payment: string }) => {
  const { isOpen, open, outcome } = useCheckout()
  return (
    <button type="button" disabled={isOpen} onClick={() => open({ payment })}>
      {outcome?.status === "succeeded" ? "Paid" : "Pay now"}
    </button>
  )
}
