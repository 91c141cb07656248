import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function BoardPage(): ReactNode {
  return <Page title="BoardPage">This view is being built.</Page>
}
