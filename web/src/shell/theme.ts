import { layoutNow, putLayout, watchLayout } from './layout.ts'

/** The theme follows the system until the person chooses; the choice is part of the layout. */
export function applyTheme(): void {
  const theme = themeNow()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export type Theme = 'system' | 'light' | 'dark'

export function themeNow(): Theme {
  const { theme } = layoutNow()
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export const setTheme = (theme: Theme): void => putLayout({ theme })

watchLayout(applyTheme)

export function switchTheme(): void {
  const now = document.documentElement.dataset.theme ?? (prefersDark() ? 'dark' : 'light')
  putLayout({ theme: now === 'dark' ? 'light' : 'dark' })
}

const prefersDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches
