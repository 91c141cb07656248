/** The theme follows the system until the person chooses; the choice stays in this browser. */
const KEY = 'troupe.theme'

export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY)
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}

export function switchTheme(): void {
  const dark = document.documentElement.dataset.theme ?? (prefersDark() ? 'dark' : 'light')
  const next = dark === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = next
  localStorage.setItem(KEY, next)
}

const prefersDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches
