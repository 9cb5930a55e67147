# Replaces `wait` while jobs of earlier commands exist: without operands it waits for the jobs of this command alone.
# Like loop.sh, it is joined to a single line; groups hide its internals from a command that traces itself (set -x).

wait() {
  {
    local __tau_word __tau_last= __tau_name= __tau_code=0 __tau_running;
    local -a __tau_ids;
    __tau_ids=();
    for __tau_word in "$@"; do
      # The option -p is followed by the name of a variable.
      if [[ $__tau_last == -*p ]]; then __tau_name=$__tau_word; __tau_word=;
      elif [[ $__tau_word != -* ]]; then __tau_last=operand; break; fi;
      __tau_last=$__tau_word;
    done;
    while IFS= builtin read -r __tau_word; do
      if [[ -n $__tau_word && $__tau_jobs != *" $__tau_word "* ]]; then __tau_ids+=("$__tau_word"); fi;
    done <<<"$(builtin jobs -p)";
    __tau_running=$(builtin jobs -rp);
    __tau_running=" ${__tau_running//[!0-9]/ } ";
  } 2>/dev/null;
  # A subshell has no jobs but its own.
  if [[ $__tau_last == operand || $BASH_SUBSHELL != 0 ]]; then builtin wait "$@"; return; fi;

  if [[ $* == *-*n* ]]; then
    if [[ ${#__tau_ids[@]} == 0 ]]; then return 127; fi;
    # `wait -n` does not accept a job that has ended meanwhile.
    for __tau_word in "${__tau_ids[@]}"; do
      if [[ $__tau_running != *" $__tau_word "* ]]; then
        builtin wait ${__tau_name:+-p "$__tau_name"} "$__tau_word"; return;
      fi;
    done;
    builtin wait "$@" "${__tau_ids[@]}"; return;
  fi;

  if [[ ${#__tau_ids[@]} == 0 ]]; then return 0; fi;
  builtin wait "$@" "${__tau_ids[@]}" || __tau_code=$?;
  # Without operands the status is 0, except when a trapped signal has interrupted it.
  {
    if [[ $__tau_code -gt 128 ]]; then
      __tau_running=$(builtin jobs -rp);
      __tau_running=" ${__tau_running//[!0-9]/ } ";
      for __tau_word in "${__tau_ids[@]}"; do
        if [[ $__tau_running == *" $__tau_word "* ]]; then return "$__tau_code"; fi;
      done;
    fi;
    return 0;
  } 2>/dev/null;
}
