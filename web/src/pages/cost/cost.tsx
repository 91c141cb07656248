import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Cost(): ReactNode {
  return <Page title="Cost">This view is being built.</Page>
}
