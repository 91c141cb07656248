import { serve } from './processes.ts'

export interface Vendor {
  readonly baseURL: string
  stop(): Promise<void>
}

/** The stand-in for a model vendor, in a process of its own; `witness` gets a line for each request as it comes. */
export async function startVendor(script: string, witness?: string): Promise<Vendor> {
  const main = new URL('../test/kit/vendor/main.ts', import.meta.url).pathname
  const seen = witness === undefined ? [] : ['--witness', witness]
  const { line, stop } = await serve(main, ['--script', script, '--keep', '1', ...seen])
  return { baseURL: `${line}/v1`, stop }
}
