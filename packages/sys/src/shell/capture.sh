# Writes down what the user's rc file has defined; run by an interactive bash that has read it.
builtin unset HISTFILE
{
	builtin shopt -p
	# One underscore begins the name of a completion, of which there are hundreds and which only a keyboard needs.
	for __tau_name in $(builtin compgen -A function); do
		[[ $__tau_name == _[!_]* ]] || builtin declare -f "$__tau_name"
	done
	builtin alias -p
} >|"$TAU_CAPTURE" 2>/dev/null
builtin exit 0
