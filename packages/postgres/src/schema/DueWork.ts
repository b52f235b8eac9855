/**
 * Due work: a row is a job, and every holder gets a fence that nobody had.
 *
 * @module
 */
import { id } from "./Id.ts"
import * as Turns from "./Turns.ts"

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  `CREATE SEQUENCE florin.fences`,
  `CREATE TABLE florin.due_work (
    subject_id ${id} NOT NULL,
    kind text NOT NULL,
    chain_id ${id} NOT NULL,
    partner_id ${id} NOT NULL,
    due_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    fence bigint NOT NULL,
    failures integer NOT NULL,
    PRIMARY KEY (subject_id, kind)
  ) WITH (fillfactor = 60)`,
  // Every retry writes them again: they have no more columns than a claim needs.
  `CREATE INDEX due_work_next ON florin.due_work (kind, due_at)`,
  `CREATE INDEX due_work_queues ON florin.due_work (kind, chain_id, partner_id, ${Turns.atInQueue})`,
  Turns.inTurn({
    name: "due_work",
    key: "subject_id",
    group: "chain_id",
    member: "partner_id",
    where: "kind = of_kind",
  }),
]
