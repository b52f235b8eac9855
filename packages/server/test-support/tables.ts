/**
 * Tables of rates as somebody publishes them.
 *
 * @module
 */

type Rows = { readonly [ticker: string]: string }

/** One day of the European Central Bank. */
export const day = (date: string, rows: Rows): string =>
  [
    `\t\t<Cube time='${date}'>`,
    ...Object.entries(rows).map(
      ([currency, rate]) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`,
    ),
    "\t\t</Cube>",
  ].join("\n")

/** Its daily XML. */
export const ecb = (date: string, rows: Rows): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${day(date, rows)}
\t</Cube>
</gesmes:Envelope>
`

/** JSON of one's own. */
export const json = (observedAt: string, rates: Rows, base = "EUR"): string =>
  JSON.stringify({ base, observedAt, rates })
