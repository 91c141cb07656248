import { layoutNow, putLayout, watchLayout } from './layout.ts'

/** The theme follows the system until the person chooses; the choice is part of the layout. */
export function applyTheme(): void {
  const { theme } = layoutNow()
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
}

watchLayout(applyTheme)

export function switchTheme(): void {
  const now = document.documentElement.dataset.theme ?? (prefersDark() ? 'dark' : 'light')
  putLayout({ theme: now === 'dark' ? 'light' : 'dark' })
}

const prefersDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches
