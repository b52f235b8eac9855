/**
 * How texts are stored shorter. Texts that many rows repeat, such as the ids of merchants and the addresses of tokens,
 * have numbers, and rows and indexes have the number. Hashes and addresses are stored as bytes.
 *
 * The number of a name is the start of its digest with a secret of the database, which is a part of the function. So it is
 * known without a look-up, and is the same in every process, on every replica, and in a database that was restored; the
 * table only says which name a number stands for.
 *
 * @module
 */
import { id } from "./Id.ts"

/** Stands for all names, such as all merchants, in a column of numbers. */
export const all = 0

/** Stands for no name in a column that is never null. */
export const none = -1

/**
 * The index of a column or expression by which rows are written nearly in order. It finds ranges of pages, and costs
 * hardly a write: only rows of a range that it knows already, such as the first one, may change it, so ranges are short.
 */
export const inOrderOf = (sql: string): string =>
  `USING brin (${sql}) WITH (pages_per_range = 16, autosummarize = on)`

/** In the order in which they are run. */
export const statements: ReadonlyArray<string> = [
  `CREATE TABLE florin.names (
    number bigint PRIMARY KEY,
    name ${id} NOT NULL UNIQUE
  )`,
  // The name of a tenant is its partner and its mode.
  `CREATE INDEX names_of_tenants ON florin.names (split_part(name, '/', 1), split_part(name, '/', 2))`,
  `CREATE FUNCTION florin.number_in(digest bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ('x' || encode(substr(digest, 1, 8), 'hex'))::bit(64)::bigint`,
  // Merchants choose some of the names, such as the addresses of their destinations. Each database has a secret of its own,
  // so that nobody can find two names with one number.
  `DO $$ BEGIN
    EXECUTE format('CREATE FUNCTION florin.number_of(wanted text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN florin.number_in(sha256(convert_to(%L || wanted, ''UTF8'')))', gen_random_uuid());
  END $$`,
  // For writes: the first use of a name keeps it. If two do so at a time, the second waits for the first. Should two names
  // have one number, nothing is written with the second.
  `CREATE FUNCTION florin.numbered(wanted text) RETURNS bigint LANGUAGE plpgsql VOLATILE STRICT AS $$
  DECLARE
    own bigint := florin.number_of(wanted);
    found text;
  BEGIN
    SELECT name INTO found FROM florin.names WHERE number = own;
    IF found IS NULL THEN
      INSERT INTO florin.names (number, name) VALUES (own, wanted) ON CONFLICT DO NOTHING;
      SELECT name INTO STRICT found FROM florin.names WHERE number = own;
    END IF;
    IF found <> wanted OR own IN (${all}, ${none}) THEN
      RAISE EXCEPTION 'the number of % is the number of another name', wanted;
    END IF;
    RETURN own;
  END$$`,
  // Hexadecimal text as bytes, which are half as long; any other text as it is.
  `CREATE FUNCTION florin.packed(whole text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN whole ~ '^0x([0-9a-f]{2})+$' THEN '\\x01'::bytea || decode(substr(whole, 3), 'hex')
      ELSE '\\x00'::bytea || convert_to(whole, 'UTF8') END`,
  `CREATE FUNCTION florin.unpacked(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE get_byte(bytes, 0) WHEN 1 THEN '0x' || encode(substr(bytes, 2), 'hex')
      ELSE convert_from(substr(bytes, 2), 'UTF8') END`,
]
