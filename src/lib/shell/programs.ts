import { codePrograms } from './code-programs.ts'
import { git } from './git-commands.ts'
import type { Program, Seen, Wrong } from './program.ts'
import { remotePrograms } from './remote-programs.ts'
import { awkScript, jqScript, sedScript, testForm } from './scripts.ts'

const text: Program = { operands: 'text' }
const reads = (options = ''): Program => ({ options, operands: 'read' })
const writes = (options = ''): Program => ({ options, operands: 'write' })

const all = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]))

export const programs: Readonly<Record<string, Program>> = {
  // They print or wait.
  ...all(
    'echo true false : pwd exit sleep seq whoami id uname basename dirname nproc arch uptime free groups yes expr tr',
    text,
  ),
  ...all('which type printenv printf', text),
  date: { options: 's!! f< r< d: I= --set!! --file< --reference< --date:', operands: 'text' },
  hostname: { operands: 'none' },
  cd: { operands: 'read' },
  ...all('set command', text),
  test: { operands: 'read', check: testForm },
  '[': { operands: 'read', check: testForm },

  // They read files.
  ...all('cat tac nl rev zcat comm tsort realpath readlink', reads()),
  ...all('head tail', reads('n: c: s: --lines: --bytes: --pid: --sleep-interval:')),
  ls: reads('I: w: T: --ignore: --hide: --color= --format: --sort: --time: --width: --time-style: --block-size:'),
  wc: reads('--files0-from!!'),
  less: {
    options: 'R r S N i I F X M m E e g s n q p: x: --raw-control-chars --chop-long-lines --LINE-NUMBERS',
    closed: true,
    operands: 'read',
    check: ({ words }) => wordLike(words, /^\+/, 'is a command of less'),
  },
  sort: reads(
    'o!> T!! k: t: S: --output!> --temporary-directory!! --compress-program!! --files0-from!! --key: --field-separator: --buffer-size: --batch-size: --parallel: --random-source<',
  ),
  shuf: reads('o!> n: i: --output!> --random-source< --head-count: --input-range:'),
  uniq: {
    options: 'f: s: w: --skip-fields: --skip-chars: --check-chars: --group= --all-repeated=',
    operands: 'single',
  },
  xxd: {
    options: '-c: -g: -l: -o: -s: -cols: -len: -seek: -p -ps -plain -r -i -b -u -e -a -E -C -d',
    closed: true,
    words: true,
    operands: 'single',
  },
  od: reads('A: j: N: t: w= S: --address-radix: --skip-bytes: --read-bytes: --format: --width= --strings='),
  hexdump: reads('e: n: s: f<'),
  strings: {
    ...reads('n: t: e: --bytes: --radix: --encoding:'),
    check: ({ words }) => wordLike(words, /^@/, 'is a file with options'),
  },
  base64: reads('w: --wrap:'),
  ps: { operands: 'text' },
  file: reads('f!! m!! P: C! z! Z! --files-from!! --magic-file!! --compile! --uncompress!'),
  stat: reads('c: --format: --printf:'),
  ...all('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum', reads('c! --check!')),
  cut: reads('d: f: c: b: --delimiter: --fields: --characters: --bytes: --output-delimiter:'),
  paste: reads('d: --delimiters:'),
  join: reads('t: 1: 2: j: a: v: o: e:'),
  ...all('expand unexpand', reads('t: --tabs:')),
  ...all('fold fmt', reads('w: --width:')),
  column: reads('s: o: c: N: --table --tree: --separator: --output-separator: --table-columns:'),
  diff: {
    options:
      'l! U: C: W: I: x: X< F: --paginate! --unified= --context= --label: --exclude: --exclude-from< --to-file< --from-file< --ignore-matching-lines: --color=',
    operands: 'read',
    deep: true,
    follows: true,
  },
  cmp: reads('n: i: --bytes: --ignore-initial:'),
  df: reads('t: x: B: --output= --type: --exclude-type: --block-size:'),
  du: {
    options:
      'd: t: B: X< L! D! H! --max-depth: --files0-from!! --dereference! --dereference-args! --exclude: --exclude-from< --block-size: --threshold:',
    operands: 'read',
    deep: true,
    here: true,
  },
  tree: {
    options: 'o!> L: P: I: R! l! --fromfile! --filelimit: --charset: --output!>',
    operands: 'read',
    deep: true,
    here: true,
  },
  find: {
    options:
      '-exec!! -execdir!! -ok!! -okdir!! -delete! -fprint!! -fprint0!! -fprintf!! -fls!! -L! -H! -follow! -files0-from!! -name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -type: -xtype: -maxdepth: -mindepth: -size: -mtime: -mmin: -atime: -amin: -ctime: -cmin: -newermt: -newerat: -newerct: -newer< -anewer< -cnewer< -samefile< -printf: -perm: -user: -group: -links: -inum: -regextype: -fstype: -lname: -ilname: -uid: -gid: -used:',
    words: true,
    operands: 'read',
    deep: true,
    here: true,
  },
  ...all('grep egrep fgrep', {
    options:
      'e: m: A: B: C: d: D: f< R! --regexp: --max-count: --after-context: --before-context: --context: --file< --include: --exclude: --exclude-from< --exclude-dir: --color= --colour= --label: --binary --binary-files: --devices: --directories: --dereference-recursive!',
    operands: 'pattern',
    deep: ['r', '--recursive', 'd', '--directories'],
    here: true,
  }),
  rg: {
    options:
      'e: f< g: t: T: A: B: C: m: M: j: d: r: E: z! L! --pre!! --pre-glob: --hostname-bin!! --search-zip! --follow! --regexp: --file< --files --files-with-matches --files-without-match --glob: --iglob: --type: --type-not: --type-add: --type-clear: --type-list --max-count: --max-depth: --after-context: --before-context: --context: --replace: --sort: --sortr: --color: --colors: --encoding: --ignore-file< --path-separator: --max-filesize: --max-columns: --threads: --hyperlink-format: --engine: --context-separator:',
    operands: 'pattern',
    deep: true,
    here: true,
  },
  ...all('fd fdfind', {
    options:
      'x!! X!! e: E: t: d: c: j: S: C!! l! L! --exec!! --exec-batch!! --list-details! --follow! --extension: --exclude: --type: --max-depth: --min-depth: --color: --threads: --size: --search-path< --base-directory!! --ignore-file< --changed-within: --changed-before:',
    operands: 'pattern',
    deep: true,
    here: true,
  }),
  jq: {
    options:
      'f!! L!! --from-file!! --slurpfile!! --rawfile!! --library-path!! --arg: --argjson: --indent: --tab --args --jsonargs',
    operands: 'pattern',
    check: jqScript,
  },
  sed: {
    options: 'e: f!! i!+ l: --expression: --file!! --in-place!+ --line-length: --follow-symlinks!',
    operands: 'pattern',
    check: sedScript,
  },
  ...all('awk gawk mawk nawk', {
    options:
      'F: v: f!! i!! l!! E!! d! D! o! p! --file!! --exec!! --include!! --load!! --source!! --field-separator: --assign:',
    closed: true,
    operands: 'pattern',
    check: awkScript,
  }),

  // They write the files that they are given.
  ...all('mkdir rmdir tee', writes('m: --mode: --context=')),
  rm: { operands: 'write', deep: ['r', 'R', '--recursive'] },
  truncate: writes('s: r< --size: --reference<'),
  touch: writes('d: t: r< --date: --time: --reference<'),
  cp: {
    options:
      't> S!! L! H! l! s! --link! --symbolic-link! --target-directory> --suffix!! --parents! --backup= --sparse: --reflink= --preserve= --no-preserve: --dereference! --context=',
    operands: 'last',
    deep: true,
    plants: ['r', 'R', 'a', 'd', 'P', '--recursive', '--archive', '--no-dereference', '--preserve'],
  },
  mv: {
    options: 't> S!! --target-directory> --suffix!! --backup=',
    operands: 'change',
    into: true,
    deep: true,
    plants: true,
  },
  ln: { options: 't> S!! --target-directory> --suffix!! --backup=', operands: 'change', into: true, plants: true },
  // Closed: `chmod -w` takes away a right, and all its operands are files.
  ...all('chmod chown chgrp', {
    options:
      'c v R P h --changes --silent --quiet --verbose --recursive --preserve-root --no-preserve-root --dereference --no-dereference --reference< --from: L! H!',
    closed: true,
    operands: 'mode',
    deep: ['R', '--recursive'],
  }),
  ...all('gzip gunzip bzip2 bunzip2 xz unxz', {
    options: 'S!! T: --suffix!! --threads: --files!! --files0!!',
    operands: 'change',
    deep: true,
    everywhere: 'write',
  }),
  unzip: { options: 'd> x: P:', operands: 'change', plants: true, everywhere: 'write', deep: true },
  zip: {
    options: 'T! R! b> O> i@ x@ --test! --unzip-command!! --recurse-patterns! --output-file> --temp-path>',
    operands: 'change',
    deep: ['r', '--recurse-paths'],
    follows: true,
  },
  dd: { operands: 'change' },

  // They reach the network.
  curl: {
    options:
      's S L f i I v k G g 4 6 # X: H@ A: e: m: u: d@ F@ --silent --show-error --location --fail --fail-with-body --include --head --verbose --insecure --get --globoff --compressed --request: --header@ --user-agent: --referer: --max-time: --connect-timeout: --retry: --retry-delay: --retry-all-errors --user: --data@ --data-raw: --data-binary@ --data-urlencode@ --json@ --form@ --url: --http1.1 --http2 --no-progress-meter --progress-bar --max-redirs: --range: r: --ipv4 --ipv6 --oauth2-bearer: --version --help',
    closed: true,
    operands: 'text',
    check: address,
  },
  wget: {
    options:
      'q n v c S t: T: O> P> U: d --quiet --no-verbose --verbose --continue --spider --tries: --timeout: --header: --user-agent: --output-document> --directory-prefix> --no-check-certificate --show-progress --progress: --server-response --max-redirect: --version --help',
    closed: true,
    operands: 'text',
    everywhere: 'write',
    deep: true,
    check: ({ words }) => wordLike(words, /\/(\.|%2e)/i, 'may become a file that changes what agents may do'),
  },

  git,
  tar: {
    options:
      'c x t r u z j J v k p m O f> C> X< --create --extract --get --list --append --update --gzip --bzip2 --xz --zstd --verbose --keep-old-files --preserve-permissions --touch --to-stdout --file> --directory> --exclude: --exclude-from< --exclude-vcs --strip-components: --no-same-owner --auto-compress a',
    closed: true,
    operands: 'change',
    deep: true,
    everywhere: 'write',
    letters: true,
    plants: ['x', '--extract', '--get'],
    check: tarLetters,
  },

  ...codePrograms,
  ...remotePrograms,
}

/** `tar cIf`: letters without a dash are options too, and an archive of another machine is fetched by a program. */
function tarLetters({ words }: Seen): Wrong | undefined {
  const first = words[1]
  if (first && !first.text.startsWith('-') && !/^[cxtruzjJvkpmOa]*f?$/.test(first.text))
    return { at: 1, why: 'are options of tar that are not known here' }
  return wordLike(words, /^[^/]*:/, 'names an archive of another machine')
}

/** Only addresses of the web, and none that curl makes several of: `f{ile}:` is one of a file. */
function address({ operands, options }: Seen): Wrong | undefined {
  const urls = [
    ...operands,
    ...options.flatMap(({ name, value, at }) => (/^--ur?l?$/.test(name) && value ? { word: value, at } : [])),
  ]
  const isWeb = /^["']?(https?:\/\/[^{[]|[\w.-]+(:\d+)?([/?]|$))/i
  const wrong = urls.find(({ word }) => !isWeb.test(word.text))
  return wrong && { at: wrong.at, why: 'may read a file of this machine' }
}

function wordLike(words: Seen['words'], pattern: RegExp, why: string): Wrong | undefined {
  const at = words.findIndex(({ text }, index) => index > 0 && pattern.test(text))
  return at < 0 ? undefined : { at, why }
}
