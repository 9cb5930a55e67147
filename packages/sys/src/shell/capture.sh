# Saves the definitions of the user's rc file; run by an interactive bash that has read it.
builtin unset HISTFILE
{
	builtin shopt -p
	# Names of completions begin with one underscore; there are hundreds, and only interactive use needs them.
	for __tau_name in $(builtin compgen -A function); do
		[[ $__tau_name == _[!_]* ]] || builtin declare -f "$__tau_name"
	done
	builtin alias -p
} >|"$TAU_CAPTURE" 2>/dev/null
builtin exit 0
