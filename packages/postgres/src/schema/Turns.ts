/**
 * The queues of due work, which take turns: those of work by chain and partner, those of deliveries by partner and
 * endpoint. The indexes keep each queue together, so that a claim reads queue by queue and not everything that waits.
 *
 * @module
 */
import { id } from "./Id.ts"

/** How many due rows are read by time; if there are more, the queues are walked. */
const readMax = 256

/**
 * When a row is due. The index of queues has its own spelling of this, so no plan uses the index by time for the rows of
 * one queue.
 */
const at = "due_at"
export const atInQueue = "(due_at + 0)"

/**
 * No index has the leases, so that a lease changes a row in place. The rows that are leased come first among those that
 * are due, and are as many as there are places for work.
 */
const isFree = "lease_until <= by_now"

interface Queues {
  readonly name: string
  readonly key: string
  /** The columns of a row's group and of its queue. */
  readonly group: string
  readonly member: string
  /** The condition on its rows. */
  readonly where: string
  /** An additional condition on the rows to take. */
  readonly mayTake?: string
}

/**
 * The due rows that a claim takes, with their place among those of their group, and the turn of the group. If little is
 * due, rows are read by time. If more is due, the claim goes from queue to queue until all places are filled: the
 * number of places limits what it reads, no matter how much waits.
 *
 * The round begins after the group and queue that had the last turn, and reaches those in the second round.
 */
export const inTurn = ({ group, key, mayTake, member, name, where }: Queues): string => {
  const taken = mayTake === undefined ? where : `${where} AND ${mayTake}`
  const free = (of: string) => `coalesce((groups->${of}->>'free')::integer, of_group)`
  const freeOfQueue = (of: string, own: string) =>
    `coalesce((queues->>(${of} || ' ' || ${own}))::integer, of_queue)`
  const last = (of: string) => `coalesce(groups->${of}->>'last', '') COLLATE "C"`
  return `CREATE FUNCTION florin.${name}_in_turn(of_kind text, most integer, by_now bigint, of_group integer, of_queue integer,
    last_group text, groups jsonb, queues jsonb)
  RETURNS TABLE (subject text, place bigint, turn bigint) LANGUAGE plpgsql STABLE AS $$
  #variable_conflict use_column
  DECLARE
    final_group ${id} := last_group;
    at_group ${id};
    final_member ${id};
    at_member ${id};
    since bigint;
    members text[];
    turns bigint := 0;
  BEGIN
    IF (SELECT count(*) FROM (SELECT FROM florin.${name} WHERE ${where} AND ${at} <= by_now AND ${isFree}
        ORDER BY ${at}, ${key} LIMIT ${readMax + 1}) AS oldest) <= ${readMax} THEN
      RETURN QUERY
      SELECT placed.key, placed.place, dense_rank() OVER (ORDER BY placed.in_group <= final_group, placed.in_group)
      FROM (
        SELECT counted.key, counted.in_group, row_number() OVER (PARTITION BY counted.in_group
          ORDER BY counted.nth, counted.own <= ${last("counted.in_group")}, counted.own) AS place
        FROM (
          SELECT ${key} AS key, ${group} AS in_group, ${member} AS own,
            row_number() OVER (PARTITION BY ${group}, ${member} ORDER BY greatest(due_at, lease_until), ${key}) AS nth
          FROM florin.${name} WHERE ${taken} AND ${at} <= by_now AND ${isFree}
        ) AS counted
        WHERE counted.nth <= ${freeOfQueue("counted.in_group", "counted.own")}
      ) AS placed
      WHERE placed.place <= ${free("placed.in_group")};
      RETURN;
    END IF;
    <<rounds>>
    FOR round IN 1..2 LOOP
      at_group := CASE round WHEN 1 THEN final_group ELSE '' END;
      LOOP
        SELECT ${group} INTO at_group FROM florin.${name} WHERE ${where} AND ${group} > at_group
          ORDER BY ${group} LIMIT 1;
        EXIT WHEN at_group IS NULL OR (round = 2 AND at_group > final_group);
        CONTINUE WHEN ${free("at_group")} <= 0;
        final_member := ${last("at_group")};
        members := '{}';
        FOR lap IN 1..2 LOOP
          at_member := CASE lap WHEN 1 THEN final_member ELSE '' END;
          LOOP
            EXIT WHEN cardinality(members) >= ${free("at_group")};
            SELECT ${member}, ${atInQueue} INTO at_member, since FROM florin.${name}
              WHERE ${taken} AND ${isFree} AND ${group} = at_group AND ${member} > at_member
              ORDER BY ${member}, ${atInQueue} LIMIT 1;
            EXIT WHEN at_member IS NULL OR (lap = 2 AND at_member > final_member);
            IF since <= by_now AND ${freeOfQueue("at_group", "at_member")} > 0 THEN
              members := members || at_member::text;
            END IF;
          END LOOP;
        END LOOP;
        CONTINUE WHEN cardinality(members) = 0;
        turns := turns + 1;
        RETURN QUERY
        SELECT piece.key, row_number() OVER (ORDER BY piece.nth, each.nth), turns
        FROM unnest(members) WITH ORDINALITY AS each (own, nth), LATERAL (
          SELECT ${key} AS key, row_number() OVER (ORDER BY ${atInQueue}, ${key}) AS nth FROM florin.${name}
          WHERE ${taken} AND ${isFree} AND ${group} = at_group AND ${member} = each.own COLLATE "C" AND ${atInQueue} <= by_now
          ORDER BY ${atInQueue}, ${key} LIMIT least(${free("at_group")}, ${freeOfQueue("at_group", "each.own")})
        ) AS piece
        ORDER BY piece.nth, each.nth LIMIT ${free("at_group")};
        EXIT rounds WHEN turns >= most;
      END LOOP;
    END LOOP;
  END$$`
}
