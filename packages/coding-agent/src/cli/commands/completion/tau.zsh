#compdef tau
# Completion of tau for zsh. Load it with: eval "$(tau completion zsh)"
_tau() {
	local line word
	local -a described plain
	local files=
	for line in "${(@f)$(tau completion words -- "${(@)words[2,CURRENT]/#/=}" 2>/dev/null)}"; do
		if [[ $line == :files ]]; then
			files=1
		elif [[ $line == *$'\t'* ]]; then
			word=${line%%$'\t'*}
			described+=("${word//:/\\:}:${line#*$'\t'}")
		elif [[ -n $line ]]; then
			plain+=("$line")
		fi
	done
	(( ${#described} )) && _describe -V tau described
	(( ${#plain} )) && compadd -a plain
	if [[ -n $files ]]; then
		compset -P '@' || compset -P '--[a-z-]##='
		_files
	fi
}
compdef _tau tau
