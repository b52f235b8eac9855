/**
 * The server's time, counted from when it wrote the page.
 *
 * @module
 */

/** A clock in milliseconds. */
type Now = () => number

/** `since` is the monotonic time at which the server wrote `writtenAt`. */
interface Start {
  readonly writtenAt: number
  readonly since: number
}

/**
 * The monotonic clock cannot be changed by the user, but in some browsers it stops while the device sleeps. The wall
 * clock does not stop. So the one that is ahead counts: a page that wakes up must not believe that offers still stand.
 */
export const make = ({ writtenAt, since }: Start, monotonic: Now, wall: Now): Now => {
  const wallSince = wall() - (monotonic() - since)
  return () => writtenAt + Math.max(monotonic() - since, wall() - wallSince)
}
