# bash completion for troupe. It asks the program, and evaluates nothing that comes back.
_troupe() {
  local value
  COMPREPLY=()
  while IFS=$'\t' read -r value _; do
    if [[ $value == :files ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("$value")
    fi
  done < <(command troupe __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _troupe troupe
