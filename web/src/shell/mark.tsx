import type { ReactNode } from 'react'

export const Mark = (): ReactNode => (
  <svg className="mark" viewBox="0 0 18 18" aria-hidden="true" fill="currentColor">
    <circle cx="9" cy="4" r="2.75" />
    <circle cx="3.75" cy="13" r="2.75" />
    <circle cx="14.25" cy="13" r="2.75" />
    <path d="M9 6 5 12M9 6l4 6M6 13h6" stroke="currentColor" strokeWidth="1.25" fill="none" />
  </svg>
)
