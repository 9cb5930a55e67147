# Completion of tau for bash. Load it with: eval "$(tau completion bash)"
_tau() {
	local at line part rest=$COMP_LINE trimmed
	local words=()
	# Bash also ends words at = : @ (COMP_WORDBREAKS, which all commands share). What no blank separates is one word here.
	for ((at = 0; at <= COMP_CWORD; at++)); do
		part=${COMP_WORDS[at]}
		trimmed=${rest#"${rest%%[![:blank:]]*}"}
		if ((at > 1)) && [[ $trimmed == "$rest" ]]; then
			words[${#words[@]} - 1]+=$part
		else
			words+=("$part")
		fi
		rest=${trimmed#"$part"}
	done
	local word=${words[${#words[@]} - 1]}
	# Only what follows the last break is replaced on the line.
	local kept=${word%"$part"}
	[[ $part == [=:@] ]] && kept=$word
	words=("${words[@]:1}")
	COMPREPLY=()
	local IFS=$'\n'
	for line in $(tau completion words -- "${words[@]/#/=}" 2>/dev/null); do
		if [[ $line == :files && $word == @* ]]; then
			# Readline keeps the @ with the path, which it would take for the name of a host.
			for part in $(compgen -f -- "${word#@}"); do
				[[ -d $part ]] && part+=/ && compopt -o nospace
				COMPREPLY+=("@$part")
			done
		elif [[ $line == :files ]]; then
			compopt -o default
		else
			line=${line%%$'\t'*}
			[[ $line == "$word"* ]] && COMPREPLY+=("${line#"$kept"}")
		fi
	done
}
complete -F _tau tau
