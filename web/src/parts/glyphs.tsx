/** A status by its shape alone; colour and word say the same. */
export const glyphs = {
  asks: (
    <>
      <path d="M8 1.5 14.5 8 8 14.5 1.5 8z" fill="var(--ask-fill)" strokeWidth="1.5" />
      <path
        d="M6.5 6.6a1.55 1.55 0 1 1 2.35 1.35c-.55.32-.85.6-.85 1.1M8 11.05h.01"
        stroke="var(--ask-on)"
        strokeWidth="1.5"
      />
    </>
  ),
  blocked: (
    <>
      <path d="M5.5 2.25h5l3.25 3.25v5l-3.25 3.25h-5L2.25 10.5v-5z" />
      <path d="M5.25 8h5.5" />
    </>
  ),
  canceled: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m5.6 10.4 4.8-4.8" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" stroke="none" />
      <path d="m5.25 8.2 2 2 3.5-4.1" stroke="var(--glyph-cut)" />
    </>
  ),
  failed: (
    <>
      <path d="M5.25 1.5h5.5l3.75 3.75v5.5l-3.75 3.75h-5.5L1.5 10.75v-5.5z" fill="currentColor" stroke="none" />
      <path d="m5.75 5.75 4.5 4.5M10.25 5.75l-4.5 4.5" stroke="var(--glyph-cut)" />
    </>
  ),
  idle: (
    <>
      <circle cx="8" cy="8" r="4.75" strokeWidth="2" />
    </>
  ),
  partial: (
    <>
      <circle cx="8" cy="8" r="5.65" />
      <path d="M8 2.35a5.65 5.65 0 0 1 0 11.3z" fill="currentColor" />
    </>
  ),
  paused: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.4 6v4M9.6 6v4" />
    </>
  ),
  pending: (
    <>
      <circle cx="8" cy="8" r="5.5" strokeDasharray="2.32 2" strokeLinecap="butt" />
    </>
  ),
  retired: (
    <>
      <rect x="3.25" y="3.25" width="9.5" height="9.5" rx="1.5" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M5.5 8h.01M8 8h.01M10.5 8h.01" strokeWidth="1.9" />
    </>
  ),
  working: (
    <>
      <circle cx="8" cy="8" r="5.5" opacity=".35" />
      <path d="M8 2.5A5.5 5.5 0 0 1 13.5 8" />
      <circle cx="8" cy="8" r="1.9" fill="currentColor" stroke="none" />
    </>
  ),
} as const
