#compdef troupe
# zsh completion for troupe. It asks the program, and evaluates nothing that comes back.
_troupe() {
  local -a lines values
  local line
  lines=("${(@f)$(command troupe __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then
    _files
    return
  fi
  for line in ${lines:#}; do
    values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  _describe troupe values
}
if [[ $funcstack[1] == _troupe ]]; then
  _troupe "$@"
else
  compdef _troupe troupe
fi
