/**
 * Renders the views that applications read for docs/tables.md, from the table that makes them.
 *
 * @module
 */
import * as Views from "../packages/postgres/src/schema/Views.ts"

const meaning = ({ says, values }: Views.Column): string =>
  values === undefined || values.length > 6
    ? says
    : `${says}: ${values.map((value) => `\`${value}\``).join(", ")}`

const section = ({ columns, name, says }: Views.View): string => {
  const rows = columns.map(
    (column) =>
      `| \`${column.name}\` | ${column.type} | ${column.isNullable ? "yes" : ""} | ${meaning(column)} |\n`,
  )
  return `## \`florin.${name}\`

${says}.

| column | type | null | meaning |
| --- | --- | --- | --- |
${rows.join("")}`
}

export const render = (): string =>
  [
    "# Tables to read",
    "",
    "<!-- Written by `pnpm generate` from packages/postgres/src/schema/Views.ts and scripts/tables.ts: edit these instead. -->",
    "",
    "Your application can read payments, refunds, payouts, merchants and events with SQL, in the database of the service. The schema `florin` has a view for each. Do not read its other tables: any release may change them.",
    "",
    "```sql",
    "SELECT orders.id, payment.status, payment.settled_at",
    "FROM orders JOIN florin.payment ON payment.id = orders.payment_id",
    "WHERE payment.created_at > now() - interval '1 day'",
    "```",
    "",
    "`florin generate drizzle`, `kysely`, `prisma` or `sql` prints the types for your library, and `--output FILE` writes them to a file:",
    "",
    "```sh",
    "npx florin generate drizzle --output src/florin-views.ts",
    "```",
    "",
    "## What you can rely on",
    "",
    "- **Columns stay.** A release may add a column at the end. None is removed or renamed, and none changes its type, its meaning or whether it can be null. A new release may add a value, such as a new type of event.",
    "- **The views are read-only.** PostgreSQL refuses every change through them. Create and change payments through the API or `florin.in(tx)`.",
    "- **They show what the partner API shows**, and no keys, secrets or collected data of payers. A reader sees all partners: filter by `partner_id` and `mode`.",
    "- **They show what is committed.** In a transaction with `florin.in(tx)` you also see what the transaction wrote. A payment that nobody confirmed can show `requires_action` for some moments after `expires_at`, until the service has stored that it expired. The API stores this before it responds.",
    "- **Addresses are in lower case.** The API prints them with their checksum, and accepts both. Only `buyer` has the spelling of the wallet.",
    "- **Amounts are whole numbers of the smallest unit**, as in the API. Their type is `numeric`, because they can exceed 64 bits: most drivers return text.",
    "",
    "## Fast queries",
    "",
    "These conditions use an index, and combinations of them do, too:",
    "",
    "- `id`, and of events also `payment_id`,",
    "- a range of `created_at`,",
    "- `partner_id` and `mode` together, other than of events, and of payments `merchant_id` with these two.",
    "",
    "Other conditions read all rows that these leave. To get the newest rows, add a range of `created_at`: an order by time alone sorts all rows.",
    "",
    "## A user that may only read them",
    "",
    "A reader needs no right to the tables:",
    "",
    "```sql",
    "GRANT USAGE ON SCHEMA florin TO reports;",
    `GRANT SELECT ON ${Views.views.map(({ name }) => `florin.${name}`).join(", ")} TO reports;`,
    "```",
    "",
    ...Views.views.map(section),
  ].join("\n")
