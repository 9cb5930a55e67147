# Saves the definitions of the user's rc file; run by an interactive bash that has read it.
builtin unset HISTFILE
IFS=$' \t\n'
# A command is judged by what these programs do: with `alias rg='rg -L'` it would follow links that nobody has judged.
__tau_judged=' '
for __tau_name in $TAU_JUDGED; do
	builtin alias "$__tau_name" || builtin declare -F "$__tau_name" || continue
	[[ $(builtin type -at "$__tau_name") =~ builtin|file ]] || continue
	__tau_judged+="$__tau_name "
	builtin unalias "$__tau_name"
done &>/dev/null
{
	builtin shopt -p
	# Names of completions begin with one underscore; there are hundreds, and only interactive use needs them.
	for __tau_name in $(builtin compgen -A function); do
		[[ $__tau_name == _[!_]* || $__tau_judged == *" $__tau_name "* ]] || builtin declare -f "$__tau_name"
	done
	builtin alias -p
} >|"$TAU_CAPTURE" 2>/dev/null
builtin exit 0
