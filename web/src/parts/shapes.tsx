/** One set, in a box of 16, lines of 1.5 with round ends. */
export const icons = {
  arrow: (
    <>
      <path d="M3 8h10M9.25 4.25 13 8l-3.75 3.75" />
    </>
  ),
  at: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M10.5 5.5v3.25a1.65 1.65 0 0 0 3 1V8A5.5 5.5 0 1 0 11 12.6" />
    </>
  ),
  ban: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.1 4.1 7.8 7.8" />
    </>
  ),
  bell: (
    <>
      <path d="M4.25 10.5V7.25a3.75 3.75 0 0 1 7.5 0v3.25l1 1.25h-9.5zM6.75 13.75h2.5" />
    </>
  ),
  board: (
    <>
      <rect x="2" y="2.75" width="4.5" height="3.5" rx="1" />
      <rect x="2" y="9.75" width="4.5" height="3.5" rx="1" />
      <rect x="10" y="6.25" width="4" height="3.5" rx="1" />
      <path d="M6.5 4.5c2 0 1.5 3.5 3.5 3.5M6.5 11.5C8.5 11.5 8 8 10 8" />
    </>
  ),
  bolt: (
    <>
      <path d="M9 2 3.75 9H7.5L7 14l5.25-7H8.5z" />
    </>
  ),
  book: (
    <>
      <path d="M8 4.25C6.75 3.25 5 3 2.5 3v9.5c2.5 0 4.25.25 5.5 1.25 1.25-1 3-1.25 5.5-1.25V3c-2.5 0-4.25.25-5.5 1.25zM8 4.25v9.5" />
    </>
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.75" r="1.5" />
      <circle cx="4.5" cy="12.25" r="1.5" />
      <circle cx="11.5" cy="5.25" r="1.5" />
      <path d="M4.5 5.25v5.5M11.5 6.75c0 2.5-3.5 2.25-6.5 3.25" />
    </>
  ),
  check: (
    <>
      <path d="m3 8.5 3.25 3.25L13 4.75" />
    </>
  ),
  chip: (
    <>
      <rect x="4.25" y="4.25" width="7.5" height="7.5" rx="1.25" />
      <path d="M6.5 2v2.25M9.5 2v2.25M6.5 11.75V14M9.5 11.75V14M2 6.5h2.25M2 9.5h2.25M11.75 6.5H14M11.75 9.5H14" />
    </>
  ),
  clip: (
    <>
      <path d="m12.75 7.25-5 5a3 3 0 0 1-4.25-4.25l5.25-5.25a2 2 0 0 1 2.85 2.85l-5.2 5.2a1 1 0 0 1-1.45-1.45l4.7-4.7" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.25" />
      <path d="M10.5 5.5V3.75c0-.7-.55-1.25-1.25-1.25h-5.5c-.7 0-1.25.55-1.25 1.25v5.5c0 .7.55 1.25 1.25 1.25H5.5" />
    </>
  ),
  cost: (
    <>
      <path d="M3.25 13V9M8 13V3.5M12.75 13V6.5" />
    </>
  ),
  down: (
    <>
      <path d="m4 6 4 4 4-4" />
    </>
  ),
  errand: (
    <>
      <circle cx="4" cy="12" r="1.75" />
      <circle cx="12" cy="4" r="1.75" />
      <path d="M5.75 12H10a2 2 0 0 0 0-4H6a2 2 0 0 1 0-4h4.25" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.75" />
    </>
  ),
  feed: (
    <>
      <path d="M2 8h2.5l2-4.5 3 9 2-4.5H14" />
    </>
  ),
  file: (
    <>
      <path d="M4.25 2.5H9l3 3v7.5a.5.5 0 0 1-.5.5H4.25a.5.5 0 0 1-.5-.5V3a.5.5 0 0 1 .5-.5z" />
      <path d="M9 2.5v3h3" />
    </>
  ),
  filter: (
    <>
      <path d="M2.5 4.25h11M4.5 8h7M6.5 11.75h3" />
    </>
  ),
  fit: (
    <>
      <path d="M2.5 5.5v-2a1 1 0 0 1 1-1h2M10.5 2.5h2a1 1 0 0 1 1 1v2M13.5 10.5v2a1 1 0 0 1-1 1h-2M5.5 13.5h-2a1 1 0 0 1-1-1v-2" />
    </>
  ),
  flag: (
    <>
      <path d="M3.5 13.5v-11M3.5 3h8.5l-2 3 2 3H3.5" />
    </>
  ),
  folder: (
    <>
      <path d="M2.5 4.5a1 1 0 0 1 1-1h2.6l1.4 1.5h5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1z" />
    </>
  ),
  fork: (
    <>
      <circle cx="4.25" cy="3.75" r="1.5" />
      <circle cx="11.75" cy="3.75" r="1.5" />
      <circle cx="8" cy="12.25" r="1.5" />
      <path d="M4.25 5.25v.5a2 2 0 0 0 2 2h3.5a2 2 0 0 0 2-2v-.5M8 7.75v3" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c2 1.8 2.6 3.6 2.6 5.5S10 11.7 8 13.5C6 11.7 5.4 9.9 5.4 8S6 4.3 8 2.5z" />
    </>
  ),
  home: (
    <>
      <path d="M2.5 7.25 8 2.5l5.5 4.75V13a.5.5 0 0 1-.5.5h-3V10H6v3.5H3a.5.5 0 0 1-.5-.5z" />
    </>
  ),
  inbox: (
    <>
      <path d="M2.5 9.5 4.2 3.4a.5.5 0 0 1 .5-.4h6.6a.5.5 0 0 1 .5.4l1.7 6.1V12.5a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5z" />
      <path d="M2.5 9.5h3.2l.9 1.5h2.8l.9-1.5h3.2" />
    </>
  ),
  infinite: (
    <>
      <path d="M8 8c-1.2-1.7-2.2-2.5-3.5-2.5a2.5 2.5 0 0 0 0 5C5.8 10.5 6.8 9.7 8 8zm0 0c1.2 1.7 2.2 2.5 3.5 2.5a2.5 2.5 0 0 0 0-5C10.2 5.5 9.2 6.3 8 8z" />
    </>
  ),
  key: (
    <>
      <circle cx="5.25" cy="10.75" r="2.75" />
      <path d="m7.25 8.75 5.75-5.75M10.5 5.5l2 2" />
    </>
  ),
  latest: (
    <>
      <path d="M8 2.5v8M4.25 7 8 10.75 11.75 7M3.5 13.5h9" />
    </>
  ),
  left: (
    <>
      <path d="m10 4-4 4 4 4" />
    </>
  ),
  list: (
    <>
      <path d="M6 4h7.5M6 8h7.5M6 12h7.5M2.75 4h.01M2.75 8h.01M2.75 12h.01" />
    </>
  ),
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.25" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  memory: (
    <>
      <path d="M3.5 3.75A1.25 1.25 0 0 1 4.75 2.5h7.75v11H4.75a1.25 1.25 0 0 1-1.25-1.25z" />
      <path d="M3.5 12a1.25 1.25 0 0 1 1.25-1.25h7.75M6.5 5.25h3.25" />
    </>
  ),
  message: (
    <>
      <path d="M3 3.25h10a.5.5 0 0 1 .5.5v6.75a.5.5 0 0 1-.5.5H7.25L4.5 13.25V11H3a.5.5 0 0 1-.5-.5V3.75a.5.5 0 0 1 .5-.5z" />
    </>
  ),
  minus: (
    <>
      <path d="M3 8h10" />
    </>
  ),
  more: (
    <>
      <path d="M3.75 8h.01M8 8h.01M12.25 8h.01" strokeWidth="2" />
    </>
  ),
  open: (
    <>
      <path d="M9 3h4v4M13 3 7.5 8.5M11.5 9.75v2.75a.5.5 0 0 1-.5.5H3.5a.5.5 0 0 1-.5-.5V5a.5.5 0 0 1 .5-.5h2.75" />
    </>
  ),
  panel: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.25" />
      <path d="M6.5 3v10" />
    </>
  ),
  pause: (
    <>
      <path d="M5.5 3.75v8.5M10.5 3.75v8.5" />
    </>
  ),
  pencil: (
    <>
      <path d="m10.5 3 2.5 2.5-7.5 7.5H3v-2.5zM8.75 4.75l2.5 2.5" />
    </>
  ),
  phone: (
    <>
      <rect x="4.5" y="2" width="7" height="12" rx="1.5" />
      <path d="M7.25 11.75h1.5" />
    </>
  ),
  pin: (
    <>
      <path d="M5.75 2.5h4.5l-.5 4 2 2.25h-7.5l2-2.25zM8 8.75v4.75" />
    </>
  ),
  play: (
    <>
      <path d="M5 3.25v9.5L12.5 8z" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  question: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.4 6.4a1.65 1.65 0 1 1 2.5 1.5c-.6.35-.9.65-.9 1.2M8 11h.01" />
    </>
  ),
  queue: (
    <>
      <path d="M2.5 3.75h11M2.5 8h6M2.5 12.25h6M12 7.25v5M10 10.5l2 2 2-2" />
    </>
  ),
  retry: (
    <>
      <path d="M13 8a5 5 0 1 1-1.5-3.55M13 2.25V5h-2.75" />
    </>
  ),
  right: (
    <>
      <path d="m6 4 4 4-4 4" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.25 10.25 3.25 3.25" />
    </>
  ),
  send: (
    <>
      <path d="M8 13V3M3.75 7.25 8 3l4.25 4.25" />
    </>
  ),
  settings: (
    <>
      <path d="M2.5 5h5.75M11.75 5h1.75M2.5 11h1.75M7.75 11h5.75" />
      <circle cx="10" cy="5" r="1.75" />
      <circle cx="6" cy="11" r="1.75" />
    </>
  ),
  shield: (
    <>
      <path d="m8 2 5 1.75V8c0 3-2.1 5.1-5 6-2.9-.9-5-3-5-6V3.75z" />
    </>
  ),
  slash: (
    <>
      <path d="M10 3 6 13" />
    </>
  ),
  spawn: (
    <>
      <path d="M3.5 2.5v5a2 2 0 0 0 2 2h7M9.75 6.75l2.75 2.75-2.75 2.75" />
    </>
  ),
  star: (
    <>
      <path d="m8 1.9 1.85 3.75 4.15.6-3 2.93.7 4.12L8 11.35 4.3 13.3l.7-4.12-3-2.93 4.15-.6z" />
    </>
  ),
  stop: (
    <>
      <rect x="4" y="4" width="8" height="8" rx="1.25" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.75v1M8 13.25v1M1.75 8h1M13.25 8h1M3.6 3.6l.7.7M11.7 11.7l.7.7M12.4 3.6l-.7.7M4.3 11.7l-.7.7" />
    </>
  ),
  tasks: (
    <>
      <path d="m2.5 4.4 1.2 1.2 2.1-2.4M2.5 10.9l1.2 1.2 2.1-2.4M8.5 4.5h5M8.5 11h5" />
    </>
  ),
  terminal: (
    <>
      <path d="m3 4.5 3.5 3.5L3 11.5M8 12h5" />
    </>
  ),
  test: (
    <>
      <path d="M6 2.5h4M6.75 2.5v4L3.5 12a1 1 0 0 0 .9 1.5h7.2a1 1 0 0 0 .9-1.5L9.25 6.5v-4M5 9.75h6" />
    </>
  ),
  trigger: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  up: (
    <>
      <path d="m4 10 4-4 4 4" />
    </>
  ),
  updown: (
    <>
      <path d="m5 6.25 3-3 3 3M5 9.75l3 3 3-3" />
    </>
  ),
  user: (
    <>
      <circle cx="8" cy="5.25" r="2.5" />
      <path d="M3 13.5c.5-2.6 2.5-4 5-4s4.5 1.4 5 4" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.75 14 13H2zM8 6.75v3M8 11.25h.01" />
    </>
  ),
  x: (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
} as const

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
