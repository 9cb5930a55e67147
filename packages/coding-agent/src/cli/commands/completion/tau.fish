# Completion of tau for fish. Load it with: tau completion fish | source
function __tau_complete
    set -l token (commandline -ct)
    set -l words (commandline -opc) $token
    for line in (tau completion words -- =$words[2..] 2>/dev/null)
        if test "$line" = ":files"
            # A path follows @ or --flag=, which stay in front of it.
            set -l kept (string match -r -- '^(?:@|--[a-z-]+=)' $token)
            for path in (__fish_complete_path (string sub -s (math (string length -- "$kept") + 1) -- "$token"))
                echo $kept$path
            end
        else
            echo $line
        end
    end
end
complete -c tau -f -a "(__tau_complete)"
