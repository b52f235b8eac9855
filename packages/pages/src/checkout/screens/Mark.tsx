/**
 * The drawings that say at a glance how it goes.
 *
 * @module
 */

export const Chevron = () => (
  <svg class="chevron" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M6 3l5 5-5 5" />
  </svg>
)

export const Spinner = () => (
  <svg class="spinner" viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="28" />
    <circle class="arc" cx="32" cy="32" r="28" pathLength="100" />
  </svg>
)

export const Mark = ({ kind }: { readonly kind: "good" | "bad" | "caution" }) => (
  <svg class={`mark ${kind}`} viewBox="0 0 64 64" aria-hidden="true">
    <circle cx="32" cy="32" r="32" />
    <path
      d={
        {
          good: "M20 33l8.5 8.5L45 24.5",
          bad: "M23 23l18 18M41 23L23 41",
          caution: "M32 19v16M32 44v.5",
        }[kind]
      }
    />
  </svg>
)
