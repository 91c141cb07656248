import type { Command } from 'commander'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { openPage, pageLink } from '../page-link.ts'
import { note, say, tell } from '../print.ts'

export default function define(command: Command): void {
  command.option('--print', 'print the link and open nothing').action(action(open))
}

async function open(cli: Cli, { print }: { print?: boolean }): Promise<void> {
  const link = await pageLink(await connect(cli))
  const opened = !print && !cli.json && (await openPage(cli, link))
  tell(cli, { url: link, opened }, () => {
    note(opened ? 'The page opens in your browser. Should it not, open this link:' : 'Open this link in your browser:')
    say(link)
    note('It works once, within five minutes. Whoever opens it acts as you.')
  })
}
