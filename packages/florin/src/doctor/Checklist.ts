/**
 * What should hold before real money moves: the rows of docs/before-real-money.md, in its order.
 *
 * @module
 */

/** Names of settings and commands are in backticks, which a terminal leaves out. */
export interface Row {
  /** What should hold. */
  readonly holds: string
  /** Why, and what to do where it does not. */
  readonly mend: string
  /**
   * `must`: it is a mistake where it does not hold. `choice`: it may be meant. `yours`: no program can see it.
   */
  readonly weight: "must" | "choice" | "yours"
}

export const rows = {
  database: {
    holds: "What is owed is kept on a PostgreSQL server.",
    mend: "An embedded database is one disk, and memory is gone with the process. Set `DATABASE_URL`.",
    weight: "must",
  },
  schema: {
    holds: "The database answers, and has the schema of this release.",
    mend: "Run `florin migrate`, or start the release that the database is of.",
    weight: "must",
  },
  disk: {
    holds: "The database confirms what is on its disk, not before.",
    mend: "A power cut would take payments that were confirmed. Set `fsync`, `full_page_writes` and `synchronous_commit` to on.",
    weight: "must",
  },
  clock: {
    holds: "This machine's clock is the database's.",
    mend: "Payments end, and leases lapse, by time. Let both clocks be set from the network.",
    weight: "must",
  },
  live: {
    holds: "Live payments have a chain.",
    mend: "Without `rpc` nothing is offered to them. Name two nodes of each chain.",
    weight: "must",
  },
  hosts: {
    holds: "Every live chain has nodes of two hosts.",
    mend: "One node alone can make up a payment. Add a node of another host to `rpc`.",
    weight: "must",
  },
  answers: {
    holds: "Nodes respond, and every token passes its check.",
    mend: "What fails is not offered to payers. Do what its message says.",
    weight: "must",
  },
  going: {
    holds: "No chain is stopped.",
    mend: "Look at what stopped it (`florin chains halted`), then let it go on (`florin chains resume <chainId>`).",
    weight: "must",
  },
  gas: {
    holds: "Every account that collects has coins for gas.",
    mend: "Without gas nothing is collected or paid out. Send each account some of its chain's coin.",
    weight: "must",
  },
  spending: {
    holds: "What an account spends on gas in an hour is limited.",
    mend: "A fault or an attack could spend all of it. Set `spendPerHour` in `chains`.",
    weight: "choice",
  },
  gasPrice: {
    holds: "Every chain's coin has a price.",
    mend: "Without one the least that is collected does not follow what gas costs. Add a `rateFeed`, such as `ETH.USD`.",
    weight: "choice",
  },
  keys: {
    holds: "Processes that answer calls have no key of an account.",
    mend: "Who breaks into one has the money. Run `--role api` with addresses only, and `--role worker` apart from it.",
    weight: "choice",
  },
  signers: {
    holds: "Keys of live accounts are with signers.",
    mend: "A key in a variable is in every dump of the process. Name a key file, Web3Signer or a program in `signers`.",
    weight: "choice",
  },
  secrets: {
    holds: "The seal key and the vault key are different keys.",
    mend: "Who learns one should not have the other. Make each with `openssl rand -base64 32`.",
    weight: "must",
  },
  host: {
    holds: "Payment links are at a host of your own, over https.",
    mend: "Wallets trust that host. Set `payLinkHost`, and `publicUrl` if pages are elsewhere.",
    weight: "must",
  },
  inside: {
    holds: "Webhooks and logos do not reach private addresses.",
    mend: "A partner could call what is behind your firewall. Take `privateWebhooks` and `privateLogos` out.",
    weight: "must",
  },
  callers: {
    holds: "Calls are limited, and callers are told apart.",
    mend: "Set `rateLimit`, and `proxyHeader` to the header in which your proxy names the caller.",
    weight: "choice",
  },
  screening: {
    holds: "Addresses that money must not come from or go to are listed.",
    mend: "The law may ask for it. Name the list in `denyList`.",
    weight: "choice",
  },
  names: {
    holds: "Names that look like another partner's wait for you.",
    mend: "Payers trust your host, and a merchant may take another's name. Set `approveMerchants` if partners let strangers become merchants.",
    weight: "choice",
  },
  treasury: {
    holds: "Your own money can leave only to accounts that you list.",
    mend: "Without `treasury` or `sweep` your fees stay on hot accounts. List a cold account.",
    weight: "choice",
  },
  sweep: {
    holds: "Hot accounts keep no more of your money than they need.",
    mend: "Who takes a key takes what is there. Set `sweep` and `hotMax`.",
    weight: "choice",
  },
  books: {
    holds: "Workers compare ledger and chains, and they agree.",
    mend: "Set `reconcileMinutes`, and look at `florin reconcile`: what is on its way differs for seconds.",
    weight: "must",
  },
  credit: {
    holds: "No partner has unlimited credit for live payments.",
    mend: "It could pay its own merchant, refund, and empty your float. Grant an amount: `florin partners credit <partnerId> <credit>`.",
    weight: "choice",
  },
  stuck: {
    holds: "No live money is held.",
    mend: "`florin stuck` says which and why; `florin payouts retry <payoutId>` sends it again.",
    weight: "must",
  },
  backup: {
    holds: "You restored a backup once, and compared the books.",
    mend: "docs/operations.md, 7, says how. Keep the vault key apart from the database's backups.",
    weight: "yours",
  },
  alarm: {
    holds: "Somebody is called when `/readyz` fails, or the log has an error.",
    mend: "docs/operations.md, 3, says what to watch.",
    weight: "yours",
  },
  alerts: {
    holds: "You are sent what needs you.",
    mend: "Set `alertUrl`, and try it with `florin alerts test`; or let Prometheus call you (docs/observability.md).",
    weight: "choice",
  },
  trial: {
    holds: "A small payment was paid, paid out and refunded on every chain.",
    mend: "With real tokens, and a wallet that your payers use.",
    weight: "yours",
  },
} as const satisfies { readonly [name: string]: Row }

export type Item = keyof typeof rows

/** What was found of an item, with what is wrong where it does not hold; null where it was not looked at. */
export interface Finding {
  readonly item: Item
  readonly holds: boolean | null
  /** What was seen: an account, a chain, a figure. */
  readonly seen: ReadonlyArray<string>
}

export const found = (item: Item, wrong: ReadonlyArray<string>): Finding => ({
  item,
  holds: wrong.length === 0,
  seen: wrong,
})

export const unseen = (item: Item, ...why: ReadonlyArray<string>): Finding => ({
  item,
  holds: null,
  seen: why,
})

/** What to do about a finding: nothing, mend it, decide whether it is meant, or look yourself. */
export const verdictOf = ({ holds, item }: Finding): "ok" | "mend" | "decide" | "look" =>
  holds === true ? "ok" : holds === null ? "look" : rows[item].weight === "must" ? "mend" : "decide"
