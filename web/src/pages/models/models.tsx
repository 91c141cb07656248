import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Models(): ReactNode {
  return <Page title="Models">This view is being built.</Page>
}
