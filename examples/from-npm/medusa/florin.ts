/**
 * A payment provider of Medusa v2: a customer pays an order with a wallet, in the checkout of a Florin service.
 *
 * A payment of Florin is an order's money once its status is `succeeded`, so Medusa gets it as captured. Nothing is
 * reserved before, because a wallet sends money or it does not.
 *
 * @module
 */
import { InvalidWebhook, makePartner, type Partner, Refused, verifyWebhook } from "@florin/client"
import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  BigNumberInput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  PaymentProviderInput,
  PaymentSessionStatus,
  ProviderWebhookPayload,
  RefundPaymentInput,
  RefundPaymentOutput,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from "@medusajs/framework/types"
import { AbstractPaymentProvider, MathBN, MedusaError } from "@medusajs/framework/utils"

export interface Options {
  /** Where the API is: `https://pay.shop.example`. */
  readonly baseUrl: string
  /** A key of your partner with the scopes `read`, `pay` and `refund`. */
  readonly apiKey: string
  readonly merchantId: string
  /** The secret of the webhook that leads to `/hooks/payment/florin_florin`. */
  readonly webhookSecret: string
}

/** What is not `isFinal` can still be paid. Money that is `processing` is on its way and cannot be stopped. */
type Status = Awaited<ReturnType<Partner["payments"]["get"]>>["status"]

const sessionStatuses: { readonly [S in Status]: PaymentSessionStatus } = {
  requires_action: "pending",
  processing: "pending_authorization",
  succeeded: "captured",
  failed: "error",
  expired: "canceled",
  cancelled: "canceled",
}

const refuse = (message: string) => new MedusaError(MedusaError.Types.NOT_ALLOWED, message)

/** As in ISO 4217, which Florin follows. Medusa's own table shows forints and rupiahs without their decimals. */
const withoutDecimals = new Set(["ISK", "JPY", "KRW"])

const fiat = "iso4217/"

/** How many decimals the smallest unit of a currency has. Florin refuses a currency that it does not know. */
export const decimalsOf = (currency: string): number => (withoutDecimals.has(currency) ? 0 : 2)

/** 12.5 of `usd` is 1250 of `iso4217/USD`. */
const amountOf = (amount: BigNumberInput, code: string) => {
  const currency = code.toUpperCase()
  const minor = MathBN.mult(amount, 10 ** decimalsOf(currency))
  if (!minor.isInteger()) {
    throw refuse(`Florin: an amount in ${currency} has at most ${decimalsOf(currency)} decimals.`)
  }
  return { unit: `${fiat}${currency}`, value: minor.toFixed(0) }
}

/** The other way: what Medusa calls the amount. */
const majorOf = ({ unit, value }: { readonly unit: string; readonly value: string }) =>
  MathBN.div(value, 10 ** decimalsOf(unit.replace(fiat, "")))

const textIn = (data: PaymentProviderInput["data"], name: string): string | undefined => {
  const value = data?.[name]
  return typeof value === "string" ? value : undefined
}

/** The header as `verifyWebhook` takes it. */
const headersOf = (headers: ProviderWebhookPayload["payload"]["headers"]) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  )

export class FlorinPayments extends AbstractPaymentProvider<Options> {
  static override identifier = "florin"
  readonly #shop: Partner
  readonly #webhookSecret: string

  static override validateOptions(options: Record<string, unknown>): void {
    for (const name of ["baseUrl", "apiKey", "merchantId", "webhookSecret"]) {
      if (typeof options[name] === "string" && options[name] !== "") continue
      throw new MedusaError(
        MedusaError.Types.INVALID_ARGUMENT,
        `Florin: the option ${name} is missing in the provider's options of medusa-config.ts.`,
      )
    }
  }

  constructor(cradle: Record<string, unknown>, options: Options) {
    super(cradle, options)
    this.#shop = makePartner(options)
    this.#webhookSecret = options.webhookSecret
  }

  /** Creates a payment. The storefront leads the customer to `data.gatewayUrl`, or shows it in its page. */
  async initiatePayment(input: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const session = textIn(input.data, "session_id")
    if (session === undefined)
      throw refuse("Florin: a payment needs the session_id that Medusa gives.")
    return this.#create(input, session, input.context?.idempotency_key ?? session)
  }

  /** The amount of a payment is fixed, so another one takes its place. The key names the payment that it replaces. */
  async updatePayment(input: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const { amount, paymentId, referenceId, status } = await this.#read(input)
    const wanted = amountOf(input.amount, input.currency_code)
    if (amount.unit === wanted.unit && amount.value === wanted.value) {
      return { status: sessionStatuses[status], data: input.data ?? {} }
    }
    await this.#close(paymentId)
    return this.#create(input, referenceId, `after-${paymentId}`)
  }

  async authorizePayment(input: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    return this.getPaymentStatus(input)
  }

  /** The money is there since the payment succeeded. */
  async capturePayment(input: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const { paymentId, status } = await this.#read(input)
    if (status !== "succeeded") {
      throw refuse(
        `Florin: ${paymentId} is ${status}, and only a payment that succeeded is captured.`,
      )
    }
    return { data: input.data ?? {} }
  }

  /** Asks for a refund, which goes to the account that paid. It is on chain some moments later. */
  async refundPayment(input: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const { amount, paymentId } = await this.#read(input)
    const part = amountOf(input.amount, amount.unit.replace(fiat, ""))
    const key = input.context?.idempotency_key
    const refund = await this.#shop.refunds.create(
      { paymentId, amount: part },
      key === undefined ? {} : { idempotencyKey: key },
    )
    return { data: { ...input.data, refundId: refund.refundId } }
  }

  async cancelPayment(input: CancelPaymentInput): Promise<CancelPaymentOutput> {
    await this.#close(this.#idOf(input))
    return { data: input.data ?? {} }
  }

  /** A session whose payment was never created has nothing to delete. */
  async deletePayment(input: DeletePaymentInput): Promise<DeletePaymentOutput> {
    const paymentId = textIn(input.data, "paymentId")
    if (paymentId !== undefined) await this.#close(paymentId)
    return { data: input.data ?? {} }
  }

  async retrievePayment(input: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: { ...(await this.#read(input)) } }
  }

  async getPaymentStatus(input: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    const { status } = await this.#shop.payments.status(this.#idOf(input))
    return { status: sessionStatuses[status], data: input.data ?? {} }
  }

  async getWebhookActionAndData({
    headers,
    rawData,
  }: ProviderWebhookPayload["payload"]): Promise<WebhookActionResult> {
    const event = await this.#verify(rawData, headers)
    if (!("paymentId" in event.data)) return { action: "not_supported" }
    const { amount, referenceId } = event.data
    // Medusa asks for no amount in a token: the payment is not one of its own.
    if (!amount.unit.startsWith(fiat)) return { action: "not_supported" }
    const data = { session_id: referenceId, amount: majorOf(amount) }
    switch (event.type) {
      case "payment.succeeded":
        return { action: "captured", data }
      case "payment.failed":
        return { action: "failed", data }
      case "payment.cancelled":
      case "payment.expired":
        return { action: "canceled", data }
      default:
        return { action: "not_supported" }
    }
  }

  async #verify(body: string | Buffer, headers: Record<string, unknown>) {
    try {
      const secret = this.#webhookSecret
      return await verifyWebhook({ body, headers: headersOf(headers), secret })
    } catch (error) {
      if (!(error instanceof InvalidWebhook)) throw error
      throw new MedusaError(MedusaError.Types.UNAUTHORIZED, `Florin: ${error.message}`)
    }
  }

  async #create(
    { amount, currency_code, data }: InitiatePaymentInput,
    session: string,
    idempotencyKey: string,
  ) {
    const { expiresAt, gatewayUrl, paymentId } = await this.#shop.payments.create(
      { referenceId: session, amount: amountOf(amount, currency_code) },
      { idempotencyKey },
    )
    return {
      id: paymentId,
      status: sessionStatuses.requires_action,
      data: { ...data, paymentId, gatewayUrl, expiresAt },
    }
  }

  #idOf({ data }: PaymentProviderInput): string {
    const paymentId = textIn(data, "paymentId")
    if (paymentId === undefined)
      throw refuse("Florin: the session has no paymentId: create it again.")
    return paymentId
  }

  async #read(input: PaymentProviderInput) {
    const paymentId = this.#idOf(input)
    return { ...(await this.#shop.payments.get(paymentId)), paymentId }
  }

  /** Afterwards nobody can pay it. A payment that is paid, or about to be, stays: only a refund gives money back. */
  async #close(paymentId: string): Promise<void> {
    try {
      await this.#shop.payments.cancel(paymentId)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { status } = await this.#shop.payments.status(paymentId)
      if (status === "failed" || status === "expired" || status === "cancelled") return
      throw refuse(`Florin: ${paymentId} is ${status} and cannot be cancelled. Refund it instead.`)
    }
  }
}
