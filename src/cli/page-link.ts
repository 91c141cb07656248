import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Client } from '../client/client.ts'
import { writeAtomic } from '../lib/files/files.ts'
import { browserOpener, openWith } from '../lib/process/browser.ts'
import type { Cli } from './cli.ts'

/** An address that signs one browser in, once, within five minutes. */
export const pageLink = async (client: Client): Promise<string> => (await client.call('POST /api/devices/code')).url

/**
 * Opens the link where there is a browser to see it. Others on this machine see what programs are called with, so the
 * browser is given a file that only the person can read, and finds the link in there.
 */
export async function openPage(cli: Cli, link: string): Promise<boolean> {
  const opener = browserOpener(cli.env)
  if (opener === undefined) return false
  const file = join(cli.home, 'open.html')
  writeAtomic(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${inAttribute(link)}">\n`, 0o600)
  return openWith(opener, pathToFileURL(file).href, cli.env)
}

const inAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
