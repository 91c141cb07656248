import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Files(): ReactNode {
  return <Page title="Files">This view is being built.</Page>
}
