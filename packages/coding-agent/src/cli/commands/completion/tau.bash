# Completion of tau for bash. Load it with: eval "$(tau completion bash)"
_tau() {
	local line word
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
	local IFS=$'\n'
	COMPREPLY=()
	word=${COMP_WORDS[COMP_CWORD]}
	for line in $(tau completion words -- "${words[@]/#/=}" 2>/dev/null); do
		if [[ $line == :files ]]; then
			compopt -o default
		else
			line=${line%%$'\t'*}
			[[ $line == "$word"* ]] && COMPREPLY+=("$line")
		fi
	done
}
# Without these, a word ends at = and :, and --model=provider/id would be three words.
COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]/}
complete -F _tau tau
