#compdef tau
# Completion of tau for zsh. Load it with: eval "$(tau completion zsh)"
_tau() {
	local line word about
	local -a found
	local files=
	for line in "${(@f)$(tau completion words -- "${(@)words[2,CURRENT]/#/=}" 2>/dev/null)}"; do
		if [[ $line == :files ]]; then
			files=1
		elif [[ -n $line ]]; then
			word=${line%%$'\t'*}
			about=${line#*$'\t'}
			found+=("${word//:/\\:}:${about}")
		fi
	done
	(( ${#found} )) && _describe -V tau found
	[[ -n $files ]] && _files
}
compdef _tau tau
