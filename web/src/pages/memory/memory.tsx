import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Memory(): ReactNode {
  return <Page title="Memory">This view is being built.</Page>
}
