/**
 * The page docs/before-real-money.md, from the rows that `florin doctor` goes through.
 *
 * @module
 */
import * as Checklist from "../packages/florin/src/doctor/Checklist.ts"

const rowsOf = (weight: Checklist.Row["weight"]): string =>
  Object.entries<Checklist.Row>(Checklist.rows)
    .filter(([, row]) => row.weight === weight)
    .map(([item, { holds, mend }]) => `- **${holds}** ${mend} (\`${item}\`)`)
    .join("\n")

export const render = (): string => `# Before real money

\`florin doctor\` goes through this list with the settings of your service. Give it the same variables, file and flags as \`florin serve\`, on each kind of machine: it asks the database, the nodes and the books, and changes nothing. It ends with 1 where something of the first part does not hold. \`--json\` is for programs.

## What must hold

${rowsOf("must")}

## What you decide

${rowsOf("choice")}

## What only you can see

${rowsOf("yours")}

Why each of these matters is in [security.md](security.md), and how to run the service in [operations.md](operations.md).
`
