import type { Program, Seen, Wrong } from './program.ts'

const all = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]))

/** They print what another place holds. */
const looks = (options: string): Program => ({ options, operands: 'text', closed: true })

const dockerLook = looks(
  'a q f: n: s --all --quiet --format: --filter: --tail: --since: --until: --last: --no-trunc --size --timestamps t --details --no-stream --follow --no-color',
)

const hubLook = looks(
  'R: L: s: q: l: a: A: b: B: c S: --repo: --limit: --state: --search: --label: --assignee: --author: --branch: --base: --head: --json: --jq: --template: --comments --log --log-failed --name-only --patch --status: --workflow: --exit-status --watch --required --verbose --job: j: --draft',
)

const kube =
  'n: A l: w c: p R --namespace: --all-namespaces --selector: --watch --container: --previous --context: --show-labels --sort-by: --field-selector: --no-headers --recursive --tail: --since: --all-containers --timestamps --ignore-not-found'

/** They reach other machines; here are the commands that only look. */
export const remotePrograms: Readonly<Record<string, Program>> = {
  docker: {
    commands: {
      ...all('ps images logs inspect version info top stats port history events', dockerLook),
      container: { commands: all('ls list logs inspect top stats port', dockerLook) },
      image: { commands: all('ls list inspect history', dockerLook) },
      compose: { commands: all('ps logs images top ls version', dockerLook) },
    },
  },
  gh: {
    commands: {
      pr: { commands: all('view list diff checks status', hubLook) },
      issue: { commands: all('view list status', hubLook) },
      run: { commands: all('view list watch', hubLook) },
      ...all('release workflow', { commands: all('view list', hubLook) }),
      repo: { commands: all('view list', hubLook) },
      auth: { commands: all('status', looks('')) },
    },
  },
  kubectl: {
    commands: {
      ...all('get describe top explain api-resources api-versions version cluster-info', {
        ...looks(`${kube} o: f< --output: --filename<`),
        check: ({ options }) => fromFile(options),
      }),
      logs: looks(`${kube} f --follow`),
    },
  },
  rsync: {
    options:
      'a v r t n h z P u c i q --archive --verbose --recursive --times --dry-run --human-readable --compress --progress --partial --update --checksum --delete --exclude: --include: --stats --itemize-changes --quiet',
    closed: true,
    operands: 'last',
    deep: true,
    plants: true,
    check: elsewhere,
  },
}

/** `-o jsonpath-file=x` and its like read a file. */
function fromFile(options: Seen['options']): Wrong | undefined {
  const found = options.find(
    ({ name, value }) => (name === '-o' || name.startsWith('--o')) && value?.text.includes('file'),
  )
  return found && { at: found.at, why: 'reads a file' }
}

function elsewhere({ operands }: Seen): Wrong | undefined {
  const found = operands.find(({ word }) => word.text.includes(':'))
  return found && { at: found.at, why: 'is a place on another machine' }
}
