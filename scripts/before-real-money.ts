/**
 * Renders docs/before-real-money.md from the rows that `florin doctor` checks.
 *
 * @module
 */
import * as Checklist from "../packages/core/src/engine/status/Checklist.ts"

const rowsOf = (weight: Checklist.Row["weight"]): string =>
  Object.entries<Checklist.Row>(Checklist.rows)
    .filter(([, row]) => row.weight === weight)
    .map(([item, { holds, mend }]) => `- **${holds}** ${mend} (\`${item}\`)`)
    .join("\n")

export const render = (): string => `# Before real money

\`florin doctor\` checks this list with the settings of your service. Run it on each kind of machine, with the same environment variables, file and flags as \`florin serve\`. It queries the database, asks the service that runs there about its nodes and its ledger, and changes nothing. With \`--url\` and an operator's key it asks a service elsewhere about its nodes and its ledger. Its exit code is 1 if something in the first part does not hold. \`--json\` prints JSON for programs.

## What must hold

${rowsOf("must")}

## What you decide

${rowsOf("choice")}

## What only you can see

${rowsOf("yours")}

[security.md](security.md) explains why each of these matters. [operations.md](operations.md) explains how to run the service.
`
