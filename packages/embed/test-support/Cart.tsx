/**
 * The code of the README, in a file so that it is compiled and run.
 *
 * @module
 */
import { FlorinCheckout, useCheckout, usePayment } from "@florin/embed/react"
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

/** The page of an order, also after a reload or on another device: your server says who may see it. */
export const OrderPage = ({ paymentId }: { readonly paymentId: string }) => {
  const { error, payment } = usePayment(`/api/payments/${paymentId}`)
  if (error !== undefined) return <p>Please sign in to see this order.</p>
  if (payment?.status === "succeeded") return <p>It is paid. We are packing it.</p>
  return <p>{payment?.isFinal === true ? "It was not paid." : "Waiting for your payment …"}</p>
}
