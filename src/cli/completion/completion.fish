# fish completion for troupe. It asks the program, and evaluates nothing that comes back.
function __troupe_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command troupe __complete -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines" = :files
        __fish_complete_path "$current"
    else if test -n "$lines"
        printf '%s\n' $lines
    end
end
complete -c troupe -f -a '(__troupe_complete)'
