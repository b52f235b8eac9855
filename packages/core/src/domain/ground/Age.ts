/**
 * Prints a duration for a person.
 *
 * @module
 */

/** `45 s`, `12 min`, `3 h` or `2 d` */
export const text = (ageInMs: number): string => {
  const ageInS = Math.floor(ageInMs / 1000)
  if (ageInS < 60) return `${ageInS} s`
  if (ageInS < 3600) return `${Math.floor(ageInS / 60)} min`
  if (ageInS < 86_400) return `${Math.floor(ageInS / 3600)} h`
  return `${Math.floor(ageInS / 86_400)} d`
}
