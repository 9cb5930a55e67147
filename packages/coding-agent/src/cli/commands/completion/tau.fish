# Completion of tau for fish. Load it with: tau completion fish | source
function __tau_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (tau completion words -- =$words[2..] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c tau -f -a "(__tau_complete)"
