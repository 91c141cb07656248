import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Feed(): ReactNode {
  return <Page title="Feed">This view is being built.</Page>
}
