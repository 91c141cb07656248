import type { Command } from 'commander'
import { action } from '../cli.ts'
import { printExport } from '../exports.ts'

export default function define(command: Command): void {
  command
    .argument('<session>', 'its handle or id, or the id of a run; "latest" is the newest run')
    .option(
      '--format <format>',
      'md, jsonl, or recording: all that "replay" plays back, with the sessions it reached',
      'md',
    )
    .action(action((cli, ref: string, { format }: { format: string }) => printExport(cli, ref, format)))
}
