import { readFileSync } from 'node:fs'
import { Argument, type Command } from 'commander'
import { troupe } from '../called.ts'
import { action } from '../cli.ts'
import { say } from '../print.ts'

const scripts = {
  bash: new URL('../completion/completion.bash', import.meta.url),
  zsh: new URL('../completion/completion.zsh', import.meta.url),
  fish: new URL('../completion/completion.fish', import.meta.url),
}

export default function define(command: Command): void {
  command
    .addArgument(new Argument('<shell>', 'the shell you use').choices(Object.keys(scripts)))
    .addHelpText('after', installation)
    .action(action(async (_cli, shell: keyof typeof scripts) => say(readFileSync(scripts[shell], 'utf8').trimEnd())))
}

const installation = `
Install it once, then open a new shell:
  bash   mkdir -p ~/.local/share/bash-completion/completions
         ${troupe} completion bash > ~/.local/share/bash-completion/completions/troupe
         (without the package bash-completion: add  source <(${troupe} completion bash)  to ~/.bashrc)
  zsh    ${troupe} completion zsh > "\${fpath[1]}/_troupe"
         (needs  autoload -U compinit && compinit  in ~/.zshrc)
  fish   ${troupe} completion fish > ~/.config/fish/completions/troupe.fish
It asks the program itself, so it stays right when Troupe is updated. Agents and sessions are known while a server runs.`
