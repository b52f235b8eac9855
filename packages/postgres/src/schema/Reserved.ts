/**
 * Balances that we owe name our account that holds the money; those of schema 9 and before did not. For each
 * transaction that moved such a balance, the account is the one on which it collected or from which it paid, or else
 * that of its payment.
 *
 * @module
 */

/** Each statement is run once, in order, in one transaction. */
export const statements: ReadonlyArray<string> = [
  `DELETE FROM ledger_balances WHERE document #>> '{account,_tag}' IN ('Owed', 'Suspense')`,
  `INSERT INTO ledger_balances (mode, token, account, quantity, in_float, document)
    SELECT mode, token, owed || ':' || address, sum(delta), true,
      jsonb_set(document, '{account,address}', to_jsonb(address))
    FROM (
      SELECT moved.mode, (posting #>> '{token,chainId}') || ':' || (posting #>> '{token,address}') AS token,
        CASE posting #>> '{account,_tag}' WHEN 'Owed' THEN 'owed:' || (posting #>> '{account,merchantId}')
          ELSE 'suspense' END AS owed,
        coalesce(
          jsonb_path_query_first(moved.document, '$.postings[*].account ? (@._tag == "Collecting").address') #>> '{}',
          payment.document #>> '{state,attempt,option,payTo}'
        ) AS address,
        (posting ->> 'delta')::numeric AS delta,
        posting - 'delta' AS document
      FROM ledger_transactions AS moved
        CROSS JOIN jsonb_array_elements(moved.document -> 'postings') AS posting
        LEFT JOIN payments AS payment ON payment.id = moved.payment_id
      WHERE posting #>> '{account,_tag}' IN ('Owed', 'Suspense')
    ) AS lines
    GROUP BY mode, token, owed, address, document`,
  // A process of schema 9 that still runs must not write one without: its work waits for a newer process.
  `ALTER TABLE ledger_balances ADD CONSTRAINT ledger_balances_are_somewhere
    CHECK (NOT in_float OR document #> '{account,address}' IS NOT NULL)`,
  // An account's token balance beyond what is owed from it is the sum of these. Balances change in place.
  `CREATE INDEX ledger_float ON ledger_balances (mode, token, (document #>> '{account,address}')) WHERE in_float`,
]
